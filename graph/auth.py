"""Who may do what on the LangGraph server.

Every caller bears a token (`callers.py`). A submitter sees and moves the threads that it
made itself; approving is the right of whoever bears an approver's token. A web page of a
foreign origin may do neither. A submitter may not write a thread's state past the nodes,
nor take a thread away: what a person was asked has to stay what was asked.
"""

import asyncio
import re
from typing import Any

from langgraph_sdk import Auth

from contracts.errors import FsdpAgentError, NotAllowed
from contracts.settings import Settings
from graph.callers import Caller, Tokens
from graph.grants import granted_resume
from graph.owner_config import load_owner_config
from graph.owners import Owners
from graph.roots import Roots
from runners import Home

HEADER = "x-fsdp-approver"
"""Header with an approver's token; the same token may stand in `Authorization: Bearer`."""
APPROVE = "fsdp:approve"
"""Permission to decide on launches."""
STUDIO_ORIGIN = "https://smith.langchain.com"
"""Where LangGraph Studio comes from: it talks to the local server out of the browser."""
LOOPBACK_ORIGIN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?"
"""Origins of pages that this machine itself serves, as a regular expression."""

_OPEN_PATHS = frozenset({"/ok", "/fsdp/health", "/fsdp/v1/job-done"})
"""Routes that ask for no token; the last checks a signature of its own."""
_OWNER = "owner"

auth = Auth()
"""What langgraph.json names."""


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes], path: str = "") -> Auth.types.MinimalUserDict:
    """Tell callers by their tokens; refuse strangers and foreign origins."""
    origin = _header(headers, "origin")
    if origin is not None and not _is_allowed(origin):
        raise _refusal(403, f"origin {origin[:100]!r} is not allowed")
    if path in _OPEN_PATHS:
        return {"identity": "nobody", "permissions": [], "is_authenticated": True}
    caller = await asyncio.to_thread(_caller, headers)
    if caller is None:
        raise _refusal(401, "a known token is needed: Authorization: Bearer TOKEN")
    return {
        "identity": caller.name,
        "permissions": [APPROVE] if caller.may_decide else [],
        "is_authenticated": True,
    }


@auth.on
async def on_anything_else(ctx: Auth.types.AuthContext, value: Any) -> None:
    """What no rule below allows is refused: the store, crons."""
    raise _refusal(403, f"this server offers no {ctx.resource}, only threads, runs and the graph's assistant")


@auth.on.assistants
async def on_assistants(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Assistants are an approver's to change: the graph's own is everybody's."""
    if APPROVE not in ctx.permissions:
        raise _refusal(403, "assistants are made, changed and deleted by an approver alone")


@auth.on.assistants.read
async def on_read_assistant(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Assistants are everybody's to read: the graph's own has no owner."""


@auth.on.assistants.search
async def on_search_assistants(ctx: Auth.types.AuthContext, value: Any) -> None:
    """As to read."""


@auth.on.threads.create
async def on_create_thread(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """A thread belongs to whoever made it."""
    metadata = value.setdefault("metadata", {}) if isinstance(value, dict) else {}
    metadata[_OWNER] = ctx.user.identity
    thread_id = str(value.get("thread_id") or "")
    if thread_id:
        await asyncio.to_thread(_claim, thread_id, ctx)
    return _own(ctx)


@auth.on.threads.read
async def on_read_thread(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Only its owner and approvers see a thread."""
    return _own(ctx)


@auth.on.threads.search
async def on_search_threads(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """A search finds the caller's own threads."""
    return _own(ctx)


@auth.on.threads.create_run
async def on_create_run(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Keep a run to what its caller may: input and answers; the approver's answers are sealed."""
    work = value.get("kwargs") or {}
    _check_context(work.get("context"))
    if APPROVE not in ctx.permissions:
        await asyncio.to_thread(_confine, work)
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
    # a run without a thread makes one
    value.setdefault("metadata", {})[_OWNER] = ctx.user.identity
    return _own(ctx)


@auth.on.threads.update
async def on_update_thread(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Metadata is anybody's to write; the state (an update without metadata) is not."""
    if "metadata" not in value and APPROVE not in ctx.permissions:
        raise _refusal(403, "a thread's state is written by the graph's nodes alone")
    if _OWNER in (value.get("metadata") or {}) and APPROVE not in ctx.permissions:
        raise _refusal(403, "whose a thread is was settled when it was made")
    if value.get("action") == "rollback":
        await on_delete_thread(ctx=ctx, value=value)
    return _own(ctx)


@auth.on.threads.delete
async def on_delete_thread(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Deleting or pruning threads and runs: the next thread of that name would ask something else."""
    if APPROVE not in ctx.permissions:
        raise _refusal(403, "threads and their runs are deleted by an approver alone")


@auth.on.assistants.create
async def on_create_assistant(ctx: Auth.types.AuthContext, value: Any) -> None:
    """An assistant is a stored context; the same holds for it as for a run's."""
    await on_assistants(ctx=ctx, value=value)
    _check_context(value.get("context"))
    _check_context((value.get("config") or {}).get("configurable"))


@auth.on.assistants.update
async def on_update_assistant(ctx: Auth.types.AuthContext, value: Any) -> None:
    """As when it is made."""
    await on_create_assistant(ctx=ctx, value=value)


def _check_context(context: dict[str, Any] | None) -> None:
    # Another home folder means other secrets: the caller would be his own approver.
    if context and context.get("home", Settings().home) != Settings().home:
        raise _refusal(403, "`home` is the server's own; it cannot be given with a run")


def _confine(work: dict[str, Any]) -> None:
    """Keep a submitter's request to the owner's roots and interpreters, here as at the other doors."""
    config = load_owner_config()
    roots = Roots(config.roots, config.interpreters)
    try:
        for settings in (work.get("context") or {}, (work.get("config") or {}).get("configurable") or {}):
            roots.confine({"interpreter": settings.get("interpreter")})
        given = work.get("input")
        if isinstance(given, dict) and isinstance(given.get("request"), dict):
            given["request"] = roots.confine(given["request"])
    except NotAllowed as error:
        raise _refusal(403, error.message) from None


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


def _own(ctx: Auth.types.AuthContext) -> Any:
    """The filter on threads: one's own, or for an approver all."""
    return None if APPROVE in ctx.permissions else {_OWNER: ctx.user.identity}


def _claim(thread_id: str, ctx: Auth.types.AuthContext) -> None:
    right = "approve" if APPROVE in ctx.permissions else "submit"
    try:
        Owners(Home(Settings().home)).claim(thread_id, Caller(name=ctx.user.identity, right=right))
    except FsdpAgentError as error:
        raise _refusal(404, error.message) from None


def _caller(headers: dict[bytes, bytes]) -> Caller | None:
    bearer = _header(headers, "authorization") or ""
    given = _header(headers, HEADER)
    if given is None and bearer.lower().startswith("bearer "):
        given = bearer[len("bearer ") :]
    if given is None:
        given = _header(headers, "x-api-key")
    if given is None or not given.strip():
        return None
    try:
        return Tokens(Home(Settings().home)).caller_of(given)
    except (FsdpAgentError, OSError):
        return None
