"""The MCP server over stdio: started by the client, as its user, in its folder."""

import asyncio
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from interfaces.mcp.server import make_server

if TYPE_CHECKING:
    from contracts.settings import Settings
    from interfaces.doors.desk import Desk

UNDER_MCP = "FSDP_AGENT_UNDER_MCP"
"""Set in our own environment, and so in that of every child: what runs there is no person."""


def serve_stdio(settings: "Settings") -> None:
    """Answer on standard input and output until the client closes them.

    Args:
        settings: Home folder and training interpreter.

    Raises:
        NotAllowed: The owner's configuration cannot be trusted.
        InputError: It cannot be read.
    """
    from mcp.server.stdio import stdio_server

    from graph.owner_config import load_owner_config

    os.environ[UNDER_MCP] = "1"
    config = load_owner_config()
    folder = str(Path.cwd())

    @functools.cache
    def desk() -> "Desk":
        from graph.callers import LOCAL
        from graph.roots import Roots
        from interfaces.doors.desk import Desk

        return Desk(settings, LOCAL, Roots((folder, *config.roots), config.interpreters))

    server = make_server(lambda _context: desk(), elicitation=config.elicitation)

    async def serve() -> None:
        async with stdio_server() as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())

    asyncio.run(serve())
