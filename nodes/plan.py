"""plan: a configuration with its reasons, its predicted cost, and its launch."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime
from pydantic import ValidationError

from contracts.amendment import Amendment
from contracts.errors import CannotBeKnown, FsdpAgentError, RequestInvalid
from contracts.need import Need
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.regular import read_whole
from contracts.request import Request
from contracts.settings import Settings
from contracts.trials import Trials
from engines.intake.completed import complete_request
from engines.intake.invalid import request_invalid
from engines.mending.amended import amended_request, amended_variables
from engines.reporting.phrases import phrase
from engines.review.edits import apply_edits
from engines.sizing.choose import choose_plan
from engines.sizing.texts import say
from nodes.planned import request_of_winner, shape_of_request, with_launch
from nodes.setting import tell
from runners import Mended

_MAX_SCRIPT_BYTES = 4 << 20


class Reads(TypedDict, total=False):
    """The request as understood, its Need, what is changed after a failure, and what was tried already."""

    asked: dict[str, Any]
    need: dict[str, Any]
    plan: dict[str, Any] | None
    run: dict[str, Any] | None
    run_id: str | None
    amendment: dict[str, Any] | None
    amendments: list[dict[str, Any]]
    trials: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The Plan with its launch, and the hash of that launch."""

    plan: dict[str, Any] | None
    launch_hash: str | None
    approval: None
    run_id: str | None
    run: dict[str, Any] | None
    amendment: None
    phase: str
    error: dict[str, Any] | None


def plan(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Choose a configuration; where there is something to run, write its bundle."""
    cleared = Writes(plan=None, launch_hash=None, approval=None, run_id=None, run=None, amendment=None, error=None)
    try:
        need = Need.model_validate(state["need"])
        asked, tried = Request.model_validate(state["asked"]), state.get("trials")
        if tried:
            asked = request_of_winner(asked, Trials.model_validate(tried))
        rounds = _rounds(state)
        request = complete_request(_amended(asked, state, rounds), need)
        tell(runtime, "sizing", phrase("doing_plan", need.language))
        made = _planned(request, need)
        if (tried or not request.trials) and _runnable(request, made):  # else trials come first
            tell(runtime, "hashing", phrase("doing_hash", need.language))
            made = _with_launch(made, request, runtime, rounds)
    except CannotBeKnown as error:
        return cleared | Writes(phase="needs_input", error=error.as_json()["error"])
    except FsdpAgentError as error:
        # the run that failed is still what there is to tell of
        kept = Writes(run_id=state.get("run_id"), run=state.get("run")) if state.get("amendment") else Writes()
        return cleared | kept | Writes(phase="failed", error=error.as_json()["error"])
    launch_hash = made.launch.launch_hash if made.launch else None
    return cleared | Writes(plan=made.model_dump(mode="json"), launch_hash=launch_hash, phase="reviewing")


def _rounds(state: Reads) -> tuple[Amendment, ...]:
    """Return the rounds of mending where one is to be planned, the newest last."""
    given = (state.get("amendments") or ()) if state.get("amendment") else ()
    return tuple(Amendment.model_validate(entry) for entry in given)


def _amended(request: Request, state: Reads, rounds: tuple[Amendment, ...]) -> Request:
    """Return the request with every change in it; the settings that were chosen before are not chosen anew."""
    if not rounds:
        return request
    before = Plan.model_validate(state["plan"])
    try:
        return amended_request(request, None if request.script else before.recipe, rounds)
    except ValidationError as error:
        raise request_invalid(error, "changed after a failure") from None


def _planned(request: Request, need: Need) -> Plan:
    """Choose a configuration; a script of the user's own has its own, and may keep its model to itself."""
    try:
        return choose_plan(request, need, shape_of_request(request))
    except CannotBeKnown:
        if request.script is None or need.intent != "run":
            raise
    hardware = request.hardware
    return Plan(
        plan_id="0" * 12,
        verdict="use_fsdp",
        fits=None,
        memory=None,
        recipe=Recipe(),
        world_size=hardware.ranks or hardware.gpus or 1,
        decisions=(),
        assumptions=(say("script_decides", need.language),),
    )


def _runnable(request: Request, made: Plan) -> bool:
    """Whether there are weights and data to run on, or a script; a shape by name is planned only."""
    if request.script is not None:
        return made.verdict in ("use_fsdp", "not_needed")  # it is run because it was asked for
    has_model = request.model is not None and request.model.path is not None
    return made.verdict == "use_fsdp" and has_model and request.data is not None


def _with_launch(made: Plan, request: Request, runtime: Runtime[Settings], rounds: tuple[Amendment, ...]) -> Plan:
    launched = with_launch(made, request, runtime, _mended(rounds) if rounds else None)
    return launched.model_copy(update={"amendment": rounds[-1] if rounds else None})


def _mended(rounds: tuple[Amendment, ...]) -> Mended:
    """Return what of the rounds no request holds; the user's own files are read, and left as they are."""
    last = rounds[-1]
    texts = {}
    for path, edits in last.edits.items():
        try:
            texts[path] = apply_edits(read_whole(path, _MAX_SCRIPT_BYTES).decode("utf-8"), edits)
        except (OSError, ValueError) as error:
            raise RequestInvalid(
                f"{path} is no longer what it was when the change was made: {error}", hint="run the request again"
            ) from None
    return Mended(resume_from=last.resumes_from, env=amended_variables(rounds), texts=texts)
