"""trial: put the best configurations of a plan forward as one launch that runs each for a few steps."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown, FsdpAgentError
from contracts.need import Need
from contracts.plan import Plan
from contracts.request import Request
from contracts.settings import Settings
from contracts.trials import Trials
from engines.intake.completed import complete_request
from engines.reporting.phrases import phrase
from engines.sizing.candidates import Candidates, candidates
from engines.sizing.texts import say
from nodes.planned import shape_of_request, with_prepared
from nodes.setting import home_of, settings_of, tell
from runners import prepare_trials


class Reads(TypedDict, total=False):
    """The request, its Need, and the plan; for a study what it wants to have tried."""

    asked: dict[str, Any]
    need: dict[str, Any]
    plan: dict[str, Any]
    study: dict[str, Any] | None
    trials: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """What is to be tried, and the plan with the launch that tries it."""

    trials: dict[str, Any] | None
    plan: dict[str, Any]
    launch_hash: str
    phase: str
    error: dict[str, Any] | None


def trial(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Choose what is tried and write the bundle; nothing is started before a person approves it."""
    made = Plan.model_validate(state["plan"])
    try:
        need = Need.model_validate(state["need"])
        request, language = complete_request(Request.model_validate(state["asked"]), need), need.language
        if made.verdict == "does_not_fit" or made.verdict == "needs_more_than_fsdp":
            raise CannotBeKnown(
                say("nothing_to_try", language, verdict=made.verdict),
                code="nothing_to_try",
                hint=say("nothing_to_try_hint", language),
            )
        chosen = _chosen(state, request, made)
        tell(runtime, "hashing", phrase("doing_hash_trials", language))
        prepared = prepare_trials(request, chosen.trials, home_of(runtime), settings_of(runtime).interpreter)
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    made = with_prepared(made, prepared)
    made = made.model_copy(update={"assumptions": (*made.assumptions, *chosen.left_out)})
    assert made.launch is not None
    return Writes(
        trials=Trials(trials=chosen.trials).model_dump(mode="json"),
        plan=made.model_dump(mode="json"),
        launch_hash=made.launch.launch_hash,
        phase="reviewing",
        error=None,
    )


def _chosen(state: Reads, request: Request, made: Plan) -> Candidates:
    """Return what a study named, else the best configurations of the plan."""
    if state.get("study"):
        return Candidates(Trials.model_validate(state["trials"]).trials, ())
    return candidates(request, made, shape_of_request(request), request.trials)
