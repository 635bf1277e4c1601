"""The gate in front of every route: a known token, a name of this machine, no foreign page.

Pure ASGI and outermost, so that nothing behind it, the LangGraph server's own routes
included, is reached without a token. Open are the two health routes, and the runner's
callback, which proves itself by its own signature.
"""

import asyncio
import logging
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.errors import FsdpAgentError
from graph.callers import Caller, Tokens
from runners import Home

OPEN_PATHS = frozenset({"/ok", "/fsdp/health"})
"""Answered without a token."""
SIGNED_PATHS = frozenset({"/fsdp/v1/job-done"})
"""Let through without a token: they check a signature of their own."""
MAX_BODY_BYTES = 4 << 20
"""Longest body that is read."""

_LOG = logging.getLogger("fsdp_agent.http")
_IN_PROCESS_ROOT = "/noauth"
"""Root path that the LangGraph SDK's in-process client sets; no request from outside can."""
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
_STUDIO = "https://smith.langchain.com"


class Gate:
    """ASGI middleware that lets known callers through."""

    def __init__(self, app: ASGIApp, home: str, origins: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        """Keep what is allowed.

        Args:
            app: What is behind the gate.
            home: The agent's home folder, with the tokens.
            origins: Web origins besides this machine's own and Studio's.
            hosts: Host names besides this machine's own.
        """
        self._app = app
        self._tokens = Tokens(Home(home))
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="tokens")
        self._origins = frozenset(origins) | {_STUDIO}
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer why not."""
        if scope["type"] != "http" or scope.get("root_path") == _IN_PROCESS_ROOT:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._foreign(headers) or self._too_long(headers)
        if refused is None and not self._is_open(scope):
            caller = await self._caller(headers)
            if caller is None:
                refused = _answer(401, "token_needed", "a known token is needed: Authorization: Bearer TOKEN")
            else:
                scope.setdefault("state", {})["caller"] = caller
        if refused is not None:
            await refused(scope, receive, send)
            return
        await self._app(scope, _bounded(receive), send)

    def _is_open(self, scope: Scope) -> bool:
        # a preflight carries no token by its nature, and reveals nothing
        preflight = scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope)
        return scope["path"] in OPEN_PATHS | SIGNED_PATHS or preflight

    def _foreign(self, headers: Headers) -> JSONResponse | None:
        origin = headers.get("origin")
        loopback = origin is not None and _LOOPBACK.fullmatch(re.sub(r"^https?://", "", origin)) is not None
        if origin is not None and not loopback and origin not in self._origins:
            return _answer(403, "origin_not_allowed", f"origin {origin[:100]!r} is not allowed")
        host = headers.get("host", "")
        if not _LOOPBACK.fullmatch(host) and host.lower() not in self._hosts:
            # a page that reaches this machine under a name of its own (DNS rebinding) is known by it
            return _answer(403, "host_not_allowed", f"host {host[:100]!r} is not a name of this server")
        return None

    def _too_long(self, headers: Headers) -> JSONResponse | None:
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return _answer(413, "body_too_long", f"a body has {MAX_BODY_BYTES} bytes at most")
        return None

    async def _caller(self, headers: Headers) -> Caller | None:
        token = token_of(headers)
        if token is None:
            return None
        try:
            # threads of its own: whoever waits for a long operation does not keep others from being known
            return await asyncio.get_running_loop().run_in_executor(self._readers, self._tokens.caller_of, token)
        except (FsdpAgentError, OSError) as error:
            _LOG.error("no token can be checked: %s", error)
            return None


def _bounded(receive: Receive) -> Receive:
    """Return a way to receive that ends a body which is longer than allowed, however its length was told."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if seen > MAX_BODY_BYTES else message

    return bounded


def token_of(headers: Headers) -> str | None:
    """Return the token that a request carries, of several the approver's; None where it carries none.

    It stands in `Authorization: Bearer TOKEN`, or bare in `X-FSDP-Approver` or `X-API-Key`.

    Args:
        headers: The request's headers.
    """
    if "x-fsdp-approver" in headers:
        return headers["x-fsdp-approver"]
    bearer = headers.get("authorization", "")
    if bearer.lower().startswith("bearer "):
        return bearer[len("bearer ") :].strip()
    return headers.get("x-api-key")


def _answer(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"ok": False, "error": {"code": code, "message": message}}, status_code=status)
