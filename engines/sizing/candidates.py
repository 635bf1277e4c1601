"""Which configurations are worth a trial: the chosen one, then the best that the built-in recipe can run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.plan import Alternative, Plan
from contracts.recipe import Recipe
from contracts.request import Language, Request
from contracts.trials import Trial
from engines.sizing.choose import setup_of
from engines.sizing.estimate import estimate_memory
from engines.sizing.search.question import RECIPE_NAMES
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say

CHOSEN = "chosen"
"""Label of the plan's own configuration."""

_WORDS = {
    "ac": "ac",
    "reshard_after_forward": "reshard",
    "cpu_offload": "offload",
    "dp_replicate": "replicas",
    "micro_batch": "batch",
    "seq_len": "seq",
}
_LABEL_LIMIT_CHARS = 40


@dataclass(frozen=True)
class Candidates:
    """What is tried, and what is not."""

    trials: tuple[Trial, ...]
    """The chosen configuration first, then the best alternatives."""
    left_out: tuple[str, ...]
    """What cannot be tried, or was not, and why."""


def candidates(request: Request, plan: Plan, shape: ModelShape, wanted: int) -> Candidates:
    """Return up to `wanted` configurations to try.

    Where the GPU is known they are the plan's alternatives, the fastest by prediction first.
    On CPU ranks and unknown GPUs no speed is predicted: then they are the neighbours of the
    chosen configuration in the settings that the request leaves open.

    Args:
        request: What was asked; what it states stays as it is among neighbours.
        plan: The plan.
        shape: The model.
        wanted: How many, the chosen one included.
    """
    speed = plan.throughput.tokens_per_s_per_gpu if plan.throughput else None
    language = request.language or "en"
    peak = plan.memory.reserved_gib if plan.memory else None
    trials = [Trial(label=CHOSEN, recipe=plan.recipe, **_predicted(speed, peak))]
    said: list[str] = []
    if plan.ranked:
        usable = [other for other in plan.ranked if other.built_in and other.fits and _in_recipe(other)]
        others = [_of(other, plan.recipe) for other in usable]
        said += _not_tried(plan, usable, language)
    else:
        others = [_neighbour(request, plan, shape, changes) for changes in _neighbours(request, plan)]
    for other in others:
        if len(trials) < wanted and other.label not in {trial.label for trial in trials}:
            trials.append(other)
    if len(trials) < wanted:
        said.append(say("trials_fewer", language, wanted=wanted, found=len(trials)))
    return Candidates(tuple(trials), tuple(said))


def _predicted(speed: float | None, peak_gib: float | None) -> dict[str, Any]:
    return {"predicted_tokens_per_s_per_gpu": speed, "predicted_reserved_gib": peak_gib}


def _in_recipe(other: Alternative) -> bool:
    return set(other.settings) <= set(RECIPE_NAMES)


def _of(other: Alternative, recipe: Recipe) -> Trial:
    changes = {RECIPE_NAMES[name]: value for name, value in other.settings.items()}
    changed = recipe.model_copy(update=changes)
    return Trial(
        label=_label(other.settings), recipe=changed, **_predicted(other.tokens_per_s_per_gpu, other.reserved_gib)
    )


def _not_tried(plan: Plan, usable: list[Alternative], language: Language) -> Iterator[str]:
    for other in plan.ranked:
        if other in usable:
            continue
        settings = ", ".join(f"{name}={value}" for name, value in other.settings.items())
        why = "try_other_ranks" if other.built_in else "try_own_script"
        why = why if other.fits else "try_too_large"
        yield say("not_tried", language, settings=settings, why=say(why, language, peak=other.reserved_gib))


def _neighbours(request: Request, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield changes of one setting each, those first that matter most to speed."""
    recipe, stated = plan.recipe, request.recipe.model_fields_set
    other_ac = "full" if recipe.activation_checkpointing == "none" else "none"
    changes: list[dict[str, Any]] = [
        {"micro_batch": recipe.micro_batch * 2},
        {"ac": other_ac},
        {"micro_batch": recipe.micro_batch * 4},
    ]
    if plan.world_size > 1:
        changes.insert(0, {"reshard_after_forward": not recipe.reshard_after_forward})
        changes += [{"dp_replicate": n} for n in (2,) if plan.world_size % n == 0 and plan.world_size > n]
    if recipe.micro_batch > 1:
        changes.append({"micro_batch": recipe.micro_batch // 2})
    for change in changes:
        if not {RECIPE_NAMES[name] for name in change} & stated:
            yield change


def _neighbour(request: Request, plan: Plan, shape: ModelShape, changes: Mapping[str, Any]) -> Trial:
    recipe = plan.recipe.model_copy(update={RECIPE_NAMES[name]: value for name, value in changes.items()})
    memory = estimate_memory(shape, setup_of(request, recipe, plan.world_size))
    return Trial(label=_label(changes), recipe=recipe, **_predicted(None, memory.reserved_gib))


def _label(settings: Mapping[str, Any]) -> str:
    """Return a short name made of settings, such as "reshard-off-batch-4"."""
    words = {True: "on", False: "off"}
    parts = []
    for name, value in settings.items():
        shown = words[value] if isinstance(value, bool) else str(value).lower().replace("_", "-")
        parts.append(f"{_WORDS[name]}-{shown}")
    return "-".join(parts)[:_LABEL_LIMIT_CHARS].rstrip("-")
