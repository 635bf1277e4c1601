"""What the nodes that plan have in common: the model's shape, and the launch of a training under a plan."""

from pathlib import Path

from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.settings import Settings
from contracts.trials import Trials
from engines.sizing.hf_config import named_shape, read_folder
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
from nodes.setting import home_of, settings_of
from runners import Mended, PreparedLaunch, prepare_launch


def shape_of_request(request: Request) -> ModelShape:
    """Return the shape of the model that a request names.

    Raises:
        CannotBeKnown: No model is named, or it is not known.
        InputError: Its folder cannot be read.
    """
    model = request.model
    if model is not None and model.path is not None:
        return read_folder(Path(model.path))
    if model is None or not model.name:
        language = request.language or "en"
        raise CannotBeKnown(
            say("model_missing", language), code="model_missing", hint=say("model_missing_hint", language)
        )
    return named_shape(model.name)


def with_launch(made: Plan, request: Request, runtime: Runtime[Settings], mended: Mended | None = None) -> Plan:
    """Return a plan with the launch of its training, whose bundle is written.

    Args:
        made: The plan.
        request: What was asked.
        runtime: Settings of the thread.
        mended: What of the rounds after a failure no request holds.
    """
    prepared = prepare_launch(
        request,
        made.recipe,
        home_of(runtime),
        settings_of(runtime).interpreter,
        peak_gib=None if made.memory is None else made.memory.reserved_gib,
        minutes=predicted_minutes(made),
        mended=mended,
    )
    return with_prepared(made, prepared)


def with_prepared(made: Plan, prepared: PreparedLaunch) -> Plan:
    """Return a plan with its launch and the files of its bundle."""
    return made.model_copy(
        update={
            "plan_id": prepared.plan_id,
            "launch": prepared.launch,
            "world_size": prepared.launch.resources.nodes * prepared.launch.resources.ranks_per_node,
            "artifacts": prepared.artifacts,
            "warnings": (*made.warnings, *prepared.warnings),
        }
    )


def predicted_minutes(made: Plan) -> float | None:
    """Return the predicted duration in minutes, evaluations and checkpoints left out."""
    if made.throughput is None:
        return None
    tokens_per_gpu = made.recipe.steps * made.recipe.grad_accum * made.recipe.micro_batch * made.recipe.seq_len
    return tokens_per_gpu / made.throughput.tokens_per_s_per_gpu / 60


def request_of_winner(request: Request, tried: Trials) -> Request:
    """Return the request with every setting of the configuration that won; as it is where none did."""
    won = next((trial for trial in tried.trials if trial.label == tried.winner), None)
    if won is None:
        return request
    # made anew from all fields: none of them is left to be decided
    recipe = Recipe.model_validate(won.recipe.model_dump(mode="json"))
    return request.model_copy(update={"recipe": recipe})
