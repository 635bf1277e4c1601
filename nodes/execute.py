"""execute: hand an approved launch to the runner, once."""

from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from contracts.approval import Approval
from contracts.errors import ApprovalMissing, FsdpAgentError
from contracts.plan import Plan
from contracts.settings import Settings
from engines.reporting.phrases import phrase
from nodes.setting import home_of, tell, thread_of
from runners import Backends


class Reads(TypedDict, total=False):
    """The plan, the decision on it, and how often this thread has launched."""

    plan: dict[str, Any]
    need: dict[str, Any]
    approval: dict[str, Any] | None
    rounds: int


class Writes(TypedDict, total=False):
    """The run."""

    run_id: str
    run: dict[str, Any]
    rounds: int
    diagnosis: None
    phase: str
    error: dict[str, Any] | None
    messages: list[AnyMessage]


def execute(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Submit under a key of thread and launch: a node that runs twice starts one job."""
    thread_id = thread_of(runtime)
    launch = Plan.model_validate(state["plan"]).launch
    assert launch is not None, "only a plan with a launch is approved"
    tell(runtime, "submitting", phrase("doing_submit", state["need"]["language"]))
    try:
        approval = _approval_of(state, thread_id)
        record = Backends(home_of(runtime)).submit(launch, approval, f"{thread_id}:{launch.launch_hash}")
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    text = phrase("started", state["need"]["language"], run_id=record.run_id)
    return Writes(
        run_id=record.run_id,
        run=record.model_dump(mode="json"),
        rounds=state.get("rounds", 0) + 1,
        diagnosis=None,  # that of the run before is kept with its round
        phase="running",
        error=None,
        messages=[AIMessage(text)],
    )


def _approval_of(state: Reads, thread_id: str) -> Approval:
    record = state.get("approval")
    if not record:
        raise ApprovalMissing("nobody has approved this launch")
    approval = Approval.model_validate(record)
    # A copied thread carries the decision of the one that it was copied from.
    if approval.thread_id != thread_id:
        raise ApprovalMissing(f"this launch was approved for thread {approval.thread_id!r}, not {thread_id!r}")
    return approval
