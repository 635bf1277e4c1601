"""Who may do what on the LangGraph server.

Anyone on this machine may submit: a caller without a header is a submitter. Approving
is the right of whoever sends the approver's secret. A web page of a foreign origin may
do neither. A submitter may not write a thread's state past the nodes, nor take a thread
away: what a person was asked has to stay what was asked.
"""

import asyncio
import hmac
import re
from typing import Any

from langgraph_sdk import Auth

from contracts.settings import Settings
from graph.grants import granted_resume
from runners import Home

HEADER = "x-fsdp-approver"
"""Header with the approver's secret, in hexadecimal."""
APPROVE = "fsdp:approve"
"""Permission to decide on launches."""
STUDIO_ORIGIN = "https://smith.langchain.com"
"""Where LangGraph Studio comes from: it talks to the local server out of the browser."""
LOOPBACK_ORIGIN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?"
"""Origins of pages that this machine itself serves, as a regular expression."""

_LOOPBACK_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)

auth = Auth()
"""What langgraph.json names."""


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    """Tell approvers from submitters; refuse foreign origins and foreign names of this machine.

    A page that reaches the loopback address under a name of its own (DNS rebinding) is
    known by its Host header: without the secret, only this machine's own names will do.
    """
    origin = _header(headers, "origin")
    if origin is not None and not _is_allowed(origin):
        raise _refusal(403, f"origin {origin[:100]!r} is not allowed")
    given = _header(headers, HEADER)
    if given is not None:
        if not hmac.compare_digest(given.strip().encode(), await asyncio.to_thread(_secret_hex)):
            raise _refusal(401, f"{HEADER} is not the approver's secret")
        return {"identity": "approver", "permissions": [APPROVE], "is_authenticated": True}
    if not _LOOPBACK_HOST.fullmatch(_header(headers, "host") or ""):
        raise _refusal(401, "only this machine may call without a secret")
    return {"identity": "anonymous", "permissions": [], "is_authenticated": True}


@auth.on
async def on_anything_else(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Reading, searching and making threads is open to whoever was let in."""


@auth.on.threads.create_run
async def on_create_run(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Keep a run to what its caller may: input and answers; the approver's answers are sealed."""
    work = value.get("kwargs") or {}
    _check_context(work.get("context"))
    # The server can be set to copy headers into a run's configuration, which every submitter
    # may read. langgraph.json forbids it; should that be edited, the secret is still kept out.
    for settings in ((work.get("config") or {}).get("configurable") or {}, work.get("context") or {}):
        settings.pop(HEADER, None)
    command = work.get("command") or {}
    if (command.get("update") or command.get("goto")) and APPROVE not in ctx.permissions:
        raise _refusal(403, "a thread's state and its next node are the graph's own; give `input` or `resume`")
    if command.get("resume") and APPROVE in ctx.permissions:
        try:
            command["resume"] = await asyncio.to_thread(
                _granted, command["resume"], str(value.get("thread_id")), ctx.user.identity
            )
        except ValueError as error:
            raise _refusal(422, str(error)) from None


@auth.on.threads.update
async def on_update_thread(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Metadata is anybody's to write; the state (an update without metadata) is not."""
    if "metadata" not in value and APPROVE not in ctx.permissions:
        raise _refusal(403, "a thread's state is written by the graph's nodes alone")
    if value.get("action") == "rollback":
        await on_delete_thread(ctx=ctx, value=value)


@auth.on.threads.delete
async def on_delete_thread(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Deleting or pruning threads and runs: the next thread of that name would ask something else."""
    if APPROVE not in ctx.permissions:
        raise _refusal(403, "threads and their runs are deleted by an approver alone")


@auth.on.assistants.create
async def on_create_assistant(ctx: Auth.types.AuthContext, value: Any) -> None:
    """An assistant is a stored context; the same holds for it as for a run's."""
    _check_context(value.get("context"))
    _check_context((value.get("config") or {}).get("configurable"))


@auth.on.assistants.update
async def on_update_assistant(ctx: Auth.types.AuthContext, value: Any) -> None:
    """As when it is made."""
    await on_create_assistant(ctx=ctx, value=value)


@auth.on.crons
async def on_cron(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Nothing here is to run by the clock."""
    return False


def _check_context(context: dict[str, Any] | None) -> None:
    # Another home folder means other secrets: the caller would be his own approver.
    if context and context.get("home", Settings().home) != Settings().home:
        raise _refusal(403, "`home` is the server's own; it cannot be given with a run")


def _is_allowed(origin: str) -> bool:
    return origin == STUDIO_ORIGIN or re.fullmatch(LOOPBACK_ORIGIN, origin) is not None


def _header(headers: dict[bytes, bytes], name: str) -> str | None:
    value = headers.get(name.encode())
    return None if value is None else value.decode("latin-1")


def _refusal(status: int, text: str) -> Exception:
    refused: Exception = Auth.exceptions.HTTPException(status_code=status, detail=text)
    return refused


def _granted(resume: Any, thread_id: str, approver: str) -> Any:
    from graph.asked import asked_launches

    home = Home(Settings().home)
    return granted_resume(
        resume,
        thread_id=thread_id,
        approver=approver,
        key=_secret(),
        asked=lambda: asked_launches(home, thread_id),
    )


def _secret() -> bytes:
    return Home(Settings().home).secret("approve")


def _secret_hex() -> bytes:
    return _secret().hex().encode()
