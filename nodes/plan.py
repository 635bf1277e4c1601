"""plan: a configuration with its reasons, its predicted cost, and its launch."""

from pathlib import Path
from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown, FsdpAgentError
from contracts.need import Need
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.settings import Settings
from engines.intake.completed import complete_request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape, read_folder
from engines.sizing.shape import ModelShape
from nodes.setting import home_of, settings_of, tell
from runners import prepare_launch


class Reads(TypedDict, total=False):
    """The request as understood, its Need, and what a diagnosis wants changed."""

    asked: dict[str, Any]
    need: dict[str, Any]
    amendment: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The Plan with its launch, and the hash of that launch."""

    plan: dict[str, Any] | None
    launch_hash: str | None
    approval: None
    run_id: None
    run: None
    amendment: None
    phase: str
    error: dict[str, Any] | None


def plan(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Choose a configuration; where there is something to run, write its bundle."""
    cleared = Writes(plan=None, launch_hash=None, approval=None, run_id=None, run=None, amendment=None, error=None)
    try:
        need = Need.model_validate(state["need"])
        request = complete_request(_amended(Request.model_validate(state["asked"]), state.get("amendment")), need)
        tell(runtime, "sizing", "predicting the peak memory and choosing the settings")
        made = _planned(request, need)
        if _runnable(request, made):
            tell(runtime, "hashing", "reading through what the job would read, to bind the approval to its content")
            made = _with_launch(made, request, runtime)
    except CannotBeKnown as error:
        return cleared | Writes(phase="needs_input", error=error.as_json()["error"])
    except FsdpAgentError as error:
        return cleared | Writes(phase="failed", error=error.as_json()["error"])
    launch_hash = made.launch.launch_hash if made.launch else None
    return cleared | Writes(plan=made.model_dump(mode="json"), launch_hash=launch_hash, phase="reviewing")


def _amended(request: Request, amendment: dict[str, Any] | None) -> Request:
    if not amendment:
        return request
    recipe = Recipe.model_validate(request.recipe.model_dump(mode="json", exclude_unset=True) | amendment)
    return request.model_copy(update={"recipe": recipe})


def _planned(request: Request, need: Need) -> Plan:
    """Choose a configuration; a script of the user's own has its own, and may keep its model to itself."""
    try:
        return choose_plan(request, need, _shape(request))
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
        assumptions=("the script decides on model, data and settings; memory and time are not predicted",),
    )


def _shape(request: Request) -> ModelShape:
    model = request.model
    if model is not None and model.path is not None:
        return read_folder(Path(model.path))
    if model is None or not model.name:
        raise CannotBeKnown(
            "the model is not named, so its memory cannot be predicted",
            code="model_missing",
            hint="name the model, or give its Hugging Face folder as model.path",
        )
    return named_shape(model.name)


def _runnable(request: Request, made: Plan) -> bool:
    """Whether there are weights and data to run on, or a script; a shape by name is planned only."""
    if request.script is not None:
        return made.verdict in ("use_fsdp", "not_needed")  # it is run because it was asked for
    has_model = request.model is not None and request.model.path is not None
    return made.verdict == "use_fsdp" and has_model and request.data is not None


def _with_launch(made: Plan, request: Request, runtime: Runtime[Settings]) -> Plan:
    prepared = prepare_launch(
        request,
        made.recipe,
        home_of(runtime),
        settings_of(runtime).interpreter,
        peak_gib=None if made.memory is None else made.memory.reserved_gib,
        minutes=_minutes(made),
    )
    return made.model_copy(
        update={
            "plan_id": prepared.plan_id,
            "launch": prepared.launch,
            "world_size": prepared.launch.resources.ranks_per_node,
            "artifacts": prepared.artifacts,
            "warnings": (*made.warnings, *prepared.warnings),
        }
    )


def _minutes(made: Plan) -> float | None:
    """Return the predicted duration in minutes, evaluations and checkpoints left out."""
    if made.throughput is None:
        return None
    tokens_per_gpu = made.recipe.steps * made.recipe.grad_accum * made.recipe.micro_batch * made.recipe.seq_len
    return tokens_per_gpu / made.throughput.tokens_per_s_per_gpu / 60
