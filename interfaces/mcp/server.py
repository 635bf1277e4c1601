"""The MCP server itself: lists the tools, carries out a call, answers in text."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from contracts.errors import FsdpAgentError

if TYPE_CHECKING:  # a client waits for the first answer: what a call needs is imported by the call
    from interfaces.doors.desk import Desk

NAME = "fsdp-agent"
"""How the server calls itself."""
INSTRUCTIONS = (
    "A specialist for training large PyTorch models on several GPUs with FSDP: judges plans, reviews code, diagnoses "
    "failures, answers with citations, runs approved jobs. Not for serving, hosted models, provider choice or "
    "workflow automation. Every answer is JSON with ok; ok=false carries error.code, message and hint."
)
"""What a client tells its model."""

OpenDesk = Callable[[ServerRequestContext[Any, Any]], "Desk"]
"""Makes the desk of a call's caller."""


def make_server(open_desk: OpenDesk, *, elicitation: bool) -> "Server[Any]":
    """Return the server.

    Args:
        open_desk: Makes the desk of a call's caller.
        elicitation: Whether the owner lets a client put an approval to the person in front of it.
    """

    async def list_tools(_context: Any, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        from interfaces.mcp.tools import TOOLS, schema_of

        listed = [
            types.Tool(name=name, description=tool.description, input_schema=schema_of(name))
            for name, tool in TOOLS.items()
        ]
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams) -> Any:
        from interfaces.doors.small import as_text

        desk = _listening(context, open_desk(context))
        result = await asyncio.to_thread(answer, params.name, desk, params.arguments)
        if elicitation and result.get("status") == "needs_approval":
            from interfaces.mcp.asking import ask_person

            result = await ask_person(context, desk, result)
        return types.CallToolResult(content=[types.TextContent(type="text", text=as_text(result))])

    from importlib.metadata import version

    return Server(
        NAME,
        version=version(NAME),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _listening(context: ServerRequestContext[Any, Any], desk: "Desk") -> "Desk":
    """Return the desk of a call; a client that gave a progress token is told what long work is about."""
    token = (context.meta or {}).get("progress_token")
    if token is None:
        return desk
    loop, said = asyncio.get_running_loop(), count(1)
    related = None if context.request_id is None else str(context.request_id)

    def tell(text: str) -> None:  # called from the thread that works
        sent = context.session.send_progress_notification(token, next(said), message=text, related_request_id=related)
        asyncio.run_coroutine_threadsafe(sent, loop)

    return replace(desk, told=tell)


def answer(tool: str, desk: "Desk", arguments: dict[str, Any] | None) -> dict[str, Any]:
    """Carry out a call; what goes wrong in our field is a result, not an error of the protocol.

    Args:
        tool: Name of the tool.
        desk: Who calls.
        arguments: What the client gave.
    """
    from interfaces.doors.operations import call
    from interfaces.doors.small import error_result
    from interfaces.mcp.tools import TOOLS

    known = TOOLS.get(tool)
    if known is None:
        return _failed("unknown_tool", f"there is no tool {tool[:60]!r}", f"tools: {', '.join(TOOLS)}")
    try:
        return call(known.operation, desk, arguments)
    except FsdpAgentError as error:
        return error_result(error)
    except Exception as error:
        # an unforeseen failure must not look like a broken server either
        return _failed("internal", f"{type(error).__name__}: {error}"[:500], "this is a defect; report it")


def _failed(code: str, message: str, hint: str) -> dict[str, Any]:
    return {"ok": False, "error": {"code": code, "message": message, "hint": hint}}
