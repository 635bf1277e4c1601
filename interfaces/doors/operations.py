"""The table of operations that HTTP and MCP offer: name, who may, what it takes, what does it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import ValidationError

from contracts.base import Contract
from contracts.errors import InputError, NotAllowed
from graph.callers import Right
from interfaces.doors import inputs, jobs, questions
from interfaces.doors.desk import Desk

_PROBLEMS_SHOWN = 5


class Operation(NamedTuple):
    """One operation."""

    takes: type[Contract]
    """Its input."""
    does: Callable[[Desk, Any], dict[str, Any]]
    """What does it: plain JSON data out."""
    right: Right = "submit"
    """Who may call it."""


OPERATIONS: dict[str, Operation] = {
    "assess": Operation(inputs.AssessInput, questions.assess),
    "plan": Operation(inputs.PlanInput, questions.plan),
    "estimate": Operation(inputs.EstimateInput, questions.estimate),
    "review": Operation(inputs.ReviewInput, questions.review),
    "diagnose": Operation(inputs.DiagnoseInput, questions.diagnose),
    "ask": Operation(inputs.AskInput, questions.ask),
    "start": Operation(inputs.StartInput, jobs.start),
    "status": Operation(inputs.StatusInput, jobs.status),
    "read": Operation(inputs.ReadInput, jobs.read),
    "list": Operation(inputs.ListInput, jobs.list_runs),
    "cancel": Operation(inputs.RunInput, jobs.cancel),
    "decide": Operation(inputs.DecideInput, jobs.decide, "approve"),
}
"""By name."""


def call(name: str, desk: Desk, given: Any) -> dict[str, Any]:
    """Carry out an operation.

    Args:
        name: One of `OPERATIONS`.
        desk: Who calls.
        given: The input as plain JSON data.

    Returns:
        `{"ok": True}` and the result.

    Raises:
        FsdpAgentError: It could not be done; its code tells a program why.
    """
    operation = OPERATIONS[name]
    if operation.right == "approve" and not desk.caller.may_decide:
        raise NotAllowed(f"{name} takes the approver's token", code="approver_needed")
    return {"ok": True, **operation.does(desk, _read(operation.takes, given))}


def _read(takes: type[Contract], given: Any) -> Contract:
    try:
        return takes.model_validate(given if given is not None else {})
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(step) for step in problem['loc']) or 'input'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)[:_PROBLEMS_SHOWN]
        ]
        hint = f"fields: {', '.join(takes.model_fields)}"
        long = any(problem["type"] == "string_too_long" and problem["loc"] == ("text",) for problem in error.errors())
        if long and "files" in takes.model_fields:
            hint = f'a longer text goes into files, as {{"files": {{"job.log": "..."}}}}; {hint}'
        raise InputError("; ".join(problems), code="input_invalid", hint=hint) from None
