"""`POST /fsdp/v1/job-done`: a runner's hint that a run has ended.

The signature keeps strangers from making us look; what we believe is the run folder. A
hint that comes twice, late, or with a wrong state does no harm.
"""

import asyncio
import contextlib
import hmac
import json
import re
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from contracts.errors import FsdpAgentError
from contracts.run import TERMINAL_STATES, RunRecord
from contracts.settings import Settings
from interfaces.http.routes import failure
from runners import Home, hint_signature

PATH = "/fsdp/v1/job-done"
"""Where it is."""
GoOn = Callable[[str, RunRecord], Awaitable[str | None]]
"""Lets a thread take note of its run's end; returns its phase, None where there is no such thread."""

_MAX_BYTES = 4096
_RUN_ID = re.compile(r"r-[0-9a-f]{12}")
_NOTIFY_LIMIT_S = 30


def job_done_route(settings: Settings, go_on: GoOn, notify: tuple[str, ...]) -> Route:
    """Return the route.

    Args:
        settings: The home folder.
        go_on: Lets the thread go on.
        notify: The owner's program that is told of every end, as an argument list; empty for none.
    """

    async def job_done(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_BYTES:
                return _refused(413, "body_too_long", f"a hint has {_MAX_BYTES} bytes at most")
        run_id = _run_id(body)
        given = request.headers.get("x-fsdp-signature", "")
        if run_id is None or not await asyncio.to_thread(_is_signed, settings, run_id, body, given):
            return _refused(401, "signature_needed", "this route takes the runner's signed hints alone")
        try:
            record = await asyncio.to_thread(_record, settings, run_id)
        except FsdpAgentError as error:
            return failure(error)
        if record.state not in TERMINAL_STATES:
            return _refused(409, "not_ended", f"{run_id} is {record.state}")
        from interfaces.service_jobs import thread_of

        thread_id = thread_of(record)
        phase = await go_on(thread_id, record) if thread_id else None
        if notify:
            await asyncio.to_thread(_tell, notify, record, thread_id, phase)
        return JSONResponse({"ok": True, "thread_id": thread_id, "phase": phase}, status_code=202)

    return Route(PATH, job_done, methods=["POST"])


def go_on_here(settings: Settings) -> GoOn:
    """Return a way to let threads go on in this process, on the home folder's own checkpoints."""

    async def go_on(thread_id: str, _record: RunRecord) -> str | None:
        from interfaces.service_threads import go_on as step

        thread = await asyncio.to_thread(step, settings, thread_id)
        return None if thread is None else thread.phase

    return go_on


def announce(home: Home, url: str) -> None:
    """Write down where runs tell of their end.

    Args:
        home: The home folder.
        url: Address of this server, without a path.
    """
    import os
    import secrets

    home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = home.callback.with_name(f".callback.{os.getpid()}.{secrets.token_hex(4)}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump({"url": url + PATH}, stream)
    Path(fresh).replace(home.callback)


def _refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"ok": False, "error": {"code": code, "message": message}}, status_code=status)


def _run_id(body: bytes) -> str | None:
    try:
        found: Any = json.loads(body)["run_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) and _RUN_ID.fullmatch(found) else None


def _is_signed(settings: Settings, run_id: str, body: bytes, given: str) -> bool:
    return hmac.compare_digest(given.encode(), hint_signature(Home(settings.home), run_id, body).encode())


def _record(settings: Settings, run_id: str) -> RunRecord:
    from interfaces.service_jobs import show_run

    return show_run(settings, run_id)


def _tell(notify: tuple[str, ...], record: RunRecord, thread_id: str | None, phase: str | None) -> None:
    """Run the owner's program with the news as JSON on its standard input; its end is its own affair."""
    news = {"run_id": record.run_id, "state": record.state, "reason": record.reason, "loss": record.loss}
    news |= {"thread_id": thread_id, "phase": phase, "run_dir": record.run_dir}
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            list(notify), input=json.dumps(news).encode(), capture_output=True, timeout=_NOTIFY_LIMIT_S, check=False
        )
