"""The routes of `/fsdp/v1`: each turns a request into one operation's input and its result into JSON."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from contracts.errors import (
    CannotBeKnown,
    FsdpAgentError,
    InputError,
    KeyConflict,
    NotAllowed,
    UnknownRun,
    WrongState,
)
from interfaces.doors.desk import Desk
from interfaces.http.gate import MAX_BODY_BYTES

OpenDesk = Callable[[Request], Desk]
"""Makes the desk of a request's caller."""

_LOG = logging.getLogger("fsdp_agent.http")
_NOT_FOUND = frozenset({"unknown_run", "unknown_thread", "unknown_launch", "no_report"})
_STATUS: tuple[tuple[type[FsdpAgentError], int], ...] = (
    (UnknownRun, 404),
    (KeyConflict, 409),
    (WrongState, 409),
    (NotAllowed, 403),
    (CannotBeKnown, 422),
    (InputError, 422),
    (FsdpAgentError, 500),
)
_SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""A report shows foreign text: whatever it holds, a browser runs nothing of it."""

_POSTED = ("assess", "plan", "estimate", "review", "diagnose", "ask")


def routes(open_desk: OpenDesk) -> list[Route]:
    """Return the routes of the operations.

    Args:
        open_desk: Makes the desk of a request's caller.
    """

    def operation(name: str, given: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await answered(name, open_desk, request, given)

        endpoint.__name__ = name
        return endpoint

    v1 = "/fsdp/v1"
    found = [Route(f"{v1}/{name}", operation(name, _body), methods=["POST"]) for name in _POSTED]
    found += [
        Route(f"{v1}/runs", operation("start", _body), methods=["POST"]),
        Route(f"{v1}/runs", operation("list", _query), methods=["GET"]),
        Route(f"{v1}/runs/{{id}}", operation("status", _path), methods=["GET"]),
        Route(f"{v1}/runs/{{id}}/events", operation("read", _reading("events")), methods=["GET"]),
        Route(f"{v1}/runs/{{id}}/logs", operation("read", _reading("logs")), methods=["GET"]),
        Route(f"{v1}/runs/{{run_id}}/cancel", operation("cancel", _path_only), methods=["POST"]),
        Route(f"{v1}/threads/{{id}}", operation("status", _path), methods=["GET"]),
        Route(f"{v1}/threads/{{id}}/report", operation("read", _reading("report")), methods=["GET"]),
        Route(f"{v1}/threads/{{id}}/files/{{name}}", _file(open_desk), methods=["GET"]),
        Route(f"{v1}/launches/{{launch_hash}}/decision", operation("decide", _body_and_path), methods=["POST"]),
    ]
    return found


async def answered(
    name: str, open_desk: OpenDesk, request: Request, given: Callable[[Request], Awaitable[Any]]
) -> Response:
    """Carry out one operation for a request, in a thread of its own, and answer.

    Args:
        name: The operation.
        open_desk: Makes the desk of the caller.
        request: The request.
        given: Reads the operation's input from the request.
    """
    from interfaces.doors.operations import call

    try:
        value = await given(request)
        result = await asyncio.to_thread(lambda: call(name, open_desk(request), value))
    except FsdpAgentError as error:
        return failure(error)
    except Exception:
        # the log has it whole; a caller learns no more than that it is not his fault
        _LOG.exception("operation %s failed", name)
        return failure(FsdpAgentError("an unforeseen failure; the server's log has it", code="internal"))
    return JSONResponse(result)


def failure(error: FsdpAgentError) -> JSONResponse:
    """Return an error as a response: the status for HTTP, the code for a program."""
    status = 404 if error.code in _NOT_FOUND else next(code for kind, code in _STATUS if isinstance(error, kind))
    from interfaces.doors.small import error_result

    return JSONResponse(error_result(error), status_code=status)


async def _body(request: Request) -> Any:
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BODY_BYTES:
            raise InputError(f"a body has {MAX_BODY_BYTES} bytes at most", code="body_too_long")
    try:
        return json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is no JSON: {error}", code="input_invalid") from None


async def _query(request: Request) -> Any:
    given: dict[str, Any] = dict(request.query_params)
    if "offset" in given:
        try:
            given["offset"] = int(given["offset"])
        except ValueError:
            raise InputError(f"offset: {given['offset'][:40]!r} is no number", code="input_invalid") from None
    return given


async def _path(request: Request) -> Any:
    return dict(await _query(request)) | dict(request.path_params)


async def _path_only(request: Request) -> Any:
    return dict(request.path_params)


async def _body_and_path(request: Request) -> Any:
    body = await _body(request)
    if not isinstance(body, dict):
        raise InputError("the body is a JSON object", code="input_invalid")
    return body | dict(request.path_params)


def _reading(what: str) -> Callable[[Request], Awaitable[Any]]:
    async def given(request: Request) -> Any:
        return dict(await _path(request)) | {"what": what}

    return given


def _file(open_desk: OpenDesk) -> Callable[[Request], Awaitable[Response]]:
    async def file(request: Request) -> Response:
        from interfaces.doors.reports import report_path

        thread_id, name = request.path_params["id"], request.path_params["name"]
        try:
            path = await asyncio.to_thread(lambda: report_path(open_desk(request), thread_id, name))
        except FsdpAgentError as error:
            return failure(error)
        return FileResponse(path, headers=_SAFE_HEADERS)

    return file
