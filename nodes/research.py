"""research: answer a question from cited cards; one that weighs several configurations by a study."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown, FsdpAgentError
from contracts.need import Need
from contracts.plan import Plan
from contracts.request import Request
from contracts.settings import Settings
from contracts.trials import Trial, Trials
from engines.answers.ask import answer_question
from engines.study.texts import text
from nodes.language_model import word_if_configured
from nodes.study_making import Outcome, make_study


class Reads(TypedDict, total=False):
    """The question, and for a study what its trials came to."""

    asked: dict[str, Any]
    need: dict[str, Any]
    study: dict[str, Any] | None
    trials: dict[str, Any] | None
    run_id: str | None
    phase: str
    error: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The Answer, or the Study with what it wants to have tried."""

    answer: dict[str, Any]
    study: dict[str, Any]
    trials: dict[str, Any]
    plan: dict[str, Any]
    phase: str
    error: dict[str, Any] | None


def research(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Look the question up, or make its study; nothing is said that no card, model or run says."""
    asked = state["asked"]
    try:
        if asked.get("study"):
            return _study(state, runtime)
        answer = word_if_configured(asked.get("text", ""), answer_question(asked.get("text", ""), asked.get("torch")))
    except CannotBeKnown as error:
        return Writes(phase="needs_input", error=error.as_json()["error"])
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    return Writes(answer=answer.model_dump(mode="json"), phase="done")


def _study(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Make the study; where trials would decide, they are put forward once."""
    need = Need.model_validate(state["need"])
    outcome = _outcome(state, need) if state.get("study") else None
    made = make_study(Request.model_validate(state["asked"]), need, runtime, outcome)
    told = Writes(study=made.study.model_dump(mode="json"), error=None)
    if made.trials:
        return told | Writes(
            trials=Trials(trials=made.trials).model_dump(mode="json"),
            plan=_bare_plan(made.trials[0], need).model_dump(mode="json"),
            phase="planning",
        )
    return told | Writes(phase="declined" if state["phase"] == "declined" else "done")


def _outcome(state: Reads, need: Need) -> Outcome:
    """Return what the trials came to: measured, rejected, or not to be run here."""
    if state["phase"] == "declined":
        return Outcome(refused=text("trials_rejected", need.language))
    error = state.get("error")
    if state["phase"] == "failed" and error:
        return Outcome(refused=error["message"])
    results = Trials.model_validate(state["trials"]).results
    return Outcome(results=results, run_id=state.get("run_id") or "")


def _bare_plan(first: Trial, need: Need) -> Plan:
    """Return a plan that holds a launch of trials and decides nothing."""
    return Plan(
        plan_id="0" * 12,
        verdict="use_fsdp",
        fits=None,
        memory=None,
        recipe=first.recipe,
        world_size=need.extracted.gpus or 1,
        decisions=(),
    )
