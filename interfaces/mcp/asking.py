"""Elicitation: a short cut to the person in front of the client, where the owner allows it.

The question carries the launch and its hash, the answer is bound to that hash. A client
that has no person, a decline, a time-out: the launch keeps waiting, and is approved
elsewhere.
"""

import asyncio
import json
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from contracts.amendment import Amendment
from contracts.errors import FsdpAgentError
from interfaces.doors.desk import Desk
from interfaces.doors.jobs import stand

PATIENCE_S = 280.0
"""Seconds that a person has; some clients give up on the whole call after 300."""
QUESTION_CHARACTERS_MAX = 20_000
"""A longer launch is not put to a person this way: nobody would read it."""
_WORDS: dict[str, dict[str, str]] = {
    "en": {"start": "Start this training job?"},
    "da": {
        "start": "Skal dette træningsjob startes?",
        "runs": "kører",
        "in": "i",
        "variables set": "variabler, der sættes",
        "variables passed on": "variabler, der gives videre",
        "starts in turn, with the same interpreter": "starter efter tur, med samme fortolker",
        "resources": "ressourcer",
        "limits": "grænser",
        "writes": "skriver",
        "reads": "læser",
        "failed": "fejlede",
        "changed": "ændret",
        "settings": "indstillinger",
        "costs": "koster",
        "starts from": "starter fra",
    },
}
"""The question and its labels; English labels are their own keys."""
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
    question = await asyncio.to_thread(_question, desk, result)
    if len(question) > QUESTION_CHARACTERS_MAX:
        return result | {
            "note": "the launch is too long to be asked here; approve it in a terminal, where all is shown"
        }
    try:
        said: types.ElicitResult = await asyncio.wait_for(
            context.session.elicit_form(question, _NO_FIELDS, context.request_id), PATIENCE_S
        )
    except (MCPError, TimeoutError, RuntimeError):
        return result
    if said.action != "accept":
        return result | {"note": "the person did not accept; the launch still waits for approval"}
    return await asyncio.to_thread(_approved, desk, result)


def _question(desk: Desk, result: dict[str, Any]) -> str:
    """Return the whole launch as a question, nothing of it shortened, no foreign line break in it."""
    from interfaces.service_threads import go_on

    thread = go_on(desk.settings, result["thread_id"])
    launch = thread.plan.launch if thread is not None and thread.plan is not None else None
    if launch is None or launch.launch_hash != result["launch_hash"]:
        return " " * (QUESTION_CHARACTERS_MAX + 1)  # it is another one by now: nothing to ask here
    words = _WORDS["da" if thread is not None and thread.need is not None and thread.need.language == "da" else "en"]
    rows = [("runs", json.dumps([launch.interpreter, *launch.argv])), ("in", json.dumps(launch.workdir))]
    rows += [("variables set", json.dumps(launch.env)), ("variables passed on", json.dumps(launch.env_passed))]
    if launch.launches:
        started = [{"settings": one.settings, "argv": one.argv} for one in launch.launches]
        rows += [("starts in turn, with the same interpreter", json.dumps(started))]
    rows += [("resources", launch.resources.model_dump_json()), ("limits", launch.limits.model_dump_json())]
    rows += [("writes", json.dumps(launch.writes))]
    rows += [("reads", json.dumps([f"{entry.role} {entry.path} {entry.sha256[:16]}" for entry in launch.inputs]))]
    made = thread.plan.amendment if thread is not None and thread.plan is not None else None
    changed = [] if made is None else _changed(made, words)
    lines = [f"{words.get(name, name)}: {text}" for name, text in rows]
    return "\n".join([words["start"], *changed, *lines, f"hash: {launch.launch_hash}"])


def _changed(made: Amendment, words: dict[str, str]) -> list[str]:
    """Return what was changed after the run that failed, and why; each line of the diff is quoted."""
    rows = [("failed", f"{made.after_run}: {made.cause}"), ("changed", json.dumps(made.why))]
    rows += [("settings", json.dumps(made.settings)), ("costs", json.dumps(made.costs))]
    rows += [("starts from", json.dumps([made.resumes_from, made.resume_reason]))]
    rows += [("diff", json.dumps(line)) for line in made.diff.splitlines()]
    return [f"{words.get(name, name)}: {text}" for name, text in rows]


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
    return {"ok": True, **stand(desk.settings, thread)}
