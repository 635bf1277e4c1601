"""The Starlette application of the HTTP door: health, `/fsdp/v1`, `/fsdp/mcp`, behind the gate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from contracts.settings import Settings
from graph.owner_config import load_owner_config
from interfaces.doors.desk import Desk, desk_of
from interfaces.http.gate import Gate
from interfaces.http.job_done import GoOn, go_on_here, job_done_route
from interfaces.http.routes import routes
from interfaces.mcp.over_http import mcp_over_http


def make_app(
    settings: Settings, extra: tuple[Middleware, ...] = (), go_on: GoOn | None = None, *, alone: bool = False
) -> Starlette:
    """Return the application.

    Args:
        settings: Home folder and training interpreter.
        extra: Middleware between the gate and the routes, such as CORS.
        go_on: Lets a thread take note of its run's end; by default on the home folder's checkpoints.

        alone: Whether no other application answers `/ok` and what is not found.

    Raises:
        NotAllowed: The owner's configuration cannot be trusted.
        InputError: It cannot be read.
    """
    config = load_owner_config()
    gate = Middleware(Gate, home=settings.home, origins=config.origins, hosts=config.hosts)

    def open_desk(request: Request) -> Desk:
        return desk_of(settings, config, request.state.caller)

    mcp_routes, mcp_lifespan = mcp_over_http(settings, config)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mcp_lifespan():
            yield

    done = job_done_route(settings, go_on or go_on_here(settings), config.notify)
    found: list[BaseRoute] = [Route("/fsdp/health", health, methods=["GET"]), done, *routes(open_desk), *mcp_routes]
    found += [Route("/ok", health, methods=["GET"])] if alone else []
    handlers = {404: _as_json, 405: _as_json} if alone else {}
    return Starlette(routes=found, middleware=[gate, *extra], lifespan=lifespan, exception_handlers=handlers)


async def health(_request: Request) -> Response:
    """Say that the server answers, and nothing else: anybody may ask."""
    return JSONResponse({"ok": True})


async def _as_json(_request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    code = {404: "not_found", 405: "method_not_allowed"}.get(status, "error")
    return JSONResponse({"ok": False, "error": {"code": code, "message": code.replace("_", " ")}}, status_code=status)
