"""The MCP server over streamable HTTP at `/fsdp/mcp`: stateless, answers in JSON, behind the same gate."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import BaseRoute, Route

from contracts.settings import Settings
from graph.owner_config import OwnerConfig
from interfaces.doors.desk import Desk, desk_of
from interfaces.mcp.server import make_server

PATH = "/fsdp/mcp"
"""Where it is mounted."""

Lifespan = Callable[[], AbstractAsyncContextManager[None]]
"""Must be entered while the application serves."""


def mcp_over_http(settings: Settings, config: OwnerConfig) -> tuple[list[BaseRoute], Lifespan]:
    """Return the routes of the MCP server, and what has to run beside them.

    Args:
        settings: Home folder and training interpreter.
        config: The owner's configuration.
    """

    def open_desk(context: ServerRequestContext[Any, Any]) -> Desk:
        assert context.request is not None, "every message over HTTP comes with its request"
        return desk_of(settings, config, context.request.state.caller)

    # stateless: there is no way back to the client in the middle of a call, so nothing to ask it
    server = make_server(open_desk, elicitation=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        # the gate has looked at host and origin already, with the owner's additions
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    [route] = [route for route in app.routes if isinstance(route, Route)]
    # nothing is ever sent by itself: whoever opens a stream to listen would wait for nothing, and hold a connection
    return [Route(PATH, route.endpoint, methods=["POST"])], lifespan
