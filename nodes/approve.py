"""approve: a person decides on exactly this launch; without a decision nothing starts.

One interrupt for each pass: an answer that decides nothing ends the pass with a notice,
and the graph comes back here to ask again. Were the node to ask in a loop, every resume
would judge the old answers anew.
"""

from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from contracts.errors import FsdpAgentError
from contracts.finding import Finding
from contracts.plan import Plan
from contracts.request import Language
from contracts.settings import Settings
from engines.approval.judge import judge_answer
from engines.approval.question import approval_question
from engines.reporting.phrases import phrase
from nodes.conversation import has_new_input
from nodes.setting import approver_key, thread_of
from runners import verify_launch


class Reads(TypedDict, total=False):
    """The plan with its launch, and what came in while a person was asked."""

    plan: dict[str, Any]
    need: dict[str, Any]
    findings: list[dict[str, Any]]
    asked_at: float
    notice: str
    request: dict[str, Any] | None
    messages: list[AnyMessage]


class Writes(TypedDict, total=False):
    """The recorded decision, or why there is none yet."""

    approval: dict[str, Any]
    launch_hash: str
    notice: str
    phase: str
    error: dict[str, Any] | None
    request: None
    messages: list[AnyMessage]


def approve(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Ask with the launch as it is; accept only a sealed decision on this very launch."""
    plan = Plan.model_validate(state["plan"])
    assert plan.launch is not None, "review puts no plan forward that has nothing to run"
    launch_hash, language = plan.launch.launch_hash, state["need"]["language"]
    if has_new_input(state):
        text = phrase("still_waiting", language, hash=launch_hash)
        return Writes(request=None, messages=[AIMessage(text)], phase="awaiting_approval")
    findings = tuple(Finding.model_validate(found) for found in state.get("findings") or ())
    answer = interrupt(approval_question(plan, language, state.get("notice") or "", findings))
    try:
        key = approver_key(runtime)
        approval = judge_answer(
            answer,
            launch_hash=launch_hash,
            thread_id=thread_of(runtime),
            asked_at=state["asked_at"],
            key=key,
        )
    except FsdpAgentError as error:
        return _ask_again(error, language)
    record = approval.model_dump(mode="json")
    decided = Writes(approval=record, launch_hash=launch_hash, notice="", error=None)
    if approval.decision == "reject":
        return decided | Writes(phase="declined")
    try:
        verify_launch(plan.launch.model_dump(mode="json"), record, key)
    except FsdpAgentError as error:
        # restoring the bytes does not help any more: this thread has ended
        told = error.as_json()["error"] | {"hint": phrase("plan_again", language)}
        return decided | Writes(phase="failed", error=told)
    return decided | Writes(phase="running")


def _ask_again(error: FsdpAgentError, language: Language) -> Writes:
    text = phrase("not_decided", language, why=error.message)
    return Writes(phase="awaiting_approval", notice=text, messages=[AIMessage(text)])
