"""Elicitation: a short cut to the person in front of the client, where the owner allows it.

The question carries the launch and its hash, the answer is bound to that hash. A client
that has no person, a decline, a time-out: the launch keeps waiting, and is approved
elsewhere.
"""

import asyncio
import shlex
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from contracts.errors import FsdpAgentError
from interfaces.doors.desk import Desk
from interfaces.doors.jobs import stand

PATIENCE_S = 280.0
"""Seconds that a person has; some clients give up on the whole call after 300."""
_NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}


async def ask_person(context: ServerRequestContext[Any, Any], desk: Desk, result: dict[str, Any]) -> dict[str, Any]:
    """Put a waiting launch to the person, and return where the thread stands then.

    Args:
        context: The call, which has the client's session.
        desk: Who calls.
        result: The answer that says `needs_approval`.
    """
    able = context.session.client_capabilities
    if able is None or able.elicitation is None:
        return result
    launch = result["launch"]
    command = shlex.join([launch["interpreter"], *launch["argv"]])
    question = f"Start this training job?\n{command}\nin {launch['workdir']}\nhash {result['launch_hash']}"
    try:
        said: types.ElicitResult = await asyncio.wait_for(
            context.session.elicit_form(question, _NO_FIELDS, context.request_id), PATIENCE_S
        )
    except (MCPError, TimeoutError, RuntimeError):
        return result
    if said.action != "accept":
        return result | {"note": "the person did not accept; the launch still waits for approval"}
    return await asyncio.to_thread(_approved, desk, result)


def _approved(desk: Desk, result: dict[str, Any]) -> dict[str, Any]:
    from interfaces.service_threads import decide

    try:
        thread = decide(
            desk.settings,
            result["launch_hash"],
            "approve",
            via="elicitation",
            reason="accepted in the client",
            thread_id=result["thread_id"],
        )
    except FsdpAgentError as error:
        return error.as_json()
    return {"ok": True, **stand(thread)}
