"""Selection: the configuration that a plan recommends, searched for where the GPU is known."""

from dataclasses import dataclass
from typing import Any

from contracts.memory import MemoryEstimate
from contracts.plan import Alternative
from contracts.recipe import Recipe
from engines.sizing.estimate import KNOWN_ERROR_PCT, estimate_memory
from engines.sizing.half_precision import in_fp16
from engines.sizing.search.find import Found, search
from engines.sizing.search.longest import longest_sequence
from engines.sizing.search.option import Option, consider, fits
from engines.sizing.search.question import RECIPE_NAMES, Question
from engines.sizing.search.space import SEQUENCES, recipe_axes
from engines.sizing.search.tradeoff import alternative
from engines.sizing.search.wide import search_wide
from engines.sizing.setup import TrainingSetup

WORLD_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""World sizes that are tried for the fewest GPUs."""


@dataclass(frozen=True)
class Selection:
    """The chosen configuration and what was considered beside it."""

    recipe: Recipe
    """Its settings."""
    setup: TrainingSetup
    """The same, as far as memory and speed depend on them."""
    memory: MemoryEstimate
    """Its predicted peak."""
    fits: bool | None
    """Whether it fits with the margin; None: capacity unknown."""
    others: tuple[Alternative, ...] = ()
    """What else would do."""
    considered: int = 0
    """Configurations that were judged."""
    traced: int = 0
    """How many of them by the allocation trace."""


def select(question: Question, base: TrainingSetup) -> Selection:
    """Choose a configuration.

    Args:
        question: What for.
        base: The request's settings; what it does not state may change.
    """
    if question.machine is None or question.capacity_gib is None:
        return _first_of_ladder(question, base)
    found = search(
        question.shape, *_space(question, base), question.machine, question.capacity_gib, question.request.aim
    )
    if found.best is None:
        return _too_large(question, base, found)
    if question.request.aim.goal == "longest_sequence":
        found = _at_longest(question, base, found)
    best = found.best
    assert best is not None
    assert best.memory is not None, "the best was traced"
    others, considered, traced = _others(question, base, best, found)
    chosen = _recipe(question.request.recipe, best.setup)
    return Selection(chosen, best.setup, best.memory, True, others, considered, traced)


def _space(question: Question, base: TrainingSetup) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is fixed, and the knobs of the built-in recipe that are free."""
    axes: dict[str, Any] = recipe_axes(question.ranks, question.per_node)
    if not question.open:
        axes = {name: axes[name] for name in ("ac", "cpu_offload")}
    return _with_goal(question, base, axes)


def _with_goal(question: Question, base: TrainingSetup, axes: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Add the goal's own axis, and fix what the request states."""
    goal, stated = question.request.aim.goal, question.request.recipe.model_fields_set
    if goal == "longest_sequence":
        axes |= {"seq_len": SEQUENCES, "micro_batch": (1,)}
    elif goal == "fewest_gpus":
        axes |= {"ranks": tuple(n for n in WORLD_SIZES if n <= max(question.ranks, 2)), "dp_replicate": (1,)}
    fixed = base.model_dump()
    for name in [name for name in axes if RECIPE_NAMES.get(name) in stated and not _aimed_at(goal, name)]:
        del axes[name]
    for name in ("dp_shard", *axes):
        fixed.pop(name, None)
    return fixed, {name: axes[name] for name in axes}


def _aimed_at(goal: str, name: str) -> bool:
    """Tell whether a knob is what the goal asks for: then a stated value is where to start, not the answer."""
    return (goal, name) in (("longest_sequence", "seq_len"), ("largest_micro_batch", "micro_batch"))


def _at_longest(question: Question, base: TrainingSetup, found: Found) -> Found:
    """Lengthen the longest sequence of the grid to the last thousand tokens that fit, and search there."""
    assert found.best is not None
    assert question.machine is not None
    assert question.capacity_gib is not None
    aim, grid = question.request.aim, found.best.setup.seq_len
    lean = _ladder(question, base)[-1].model_copy(update={"micro_batch": 1})
    longest = max(grid, longest_sequence(question.shape, lean, question.capacity_gib, aim.margin_pct, grid))
    fixed, axes = _space(question, base)
    again = search(question.shape, fixed, axes | {"seq_len": (longest,)}, question.machine, question.capacity_gib, aim)
    return again if again.best is not None else found


def _others(
    question: Question, base: TrainingSetup, best: Option, found: Found
) -> tuple[tuple[Alternative, ...], int, int]:
    """Return the alternatives: those of the recipe, and where a plan is asked for those of a script of one's own."""
    options, considered, traced = list(found.others), found.considered, found.traced
    if question.open:
        assert question.machine is not None
        assert question.capacity_gib is not None
        at = base.model_copy(update={"seq_len": best.setup.seq_len, "ranks": best.setup.ranks})
        for one in (at, *in_fp16(question.machine.device, at, question.request)):
            wide = search_wide(question, one)
            options += [option for option in (wide.best, *wide.others) if option is not None]
            considered, traced = considered + wide.considered, traced + wide.traced
    unique: dict[str, Alternative] = {}
    for option in options:
        other = alternative(question.shape, option, best, question.language)
        if other.settings:
            unique.setdefault(str(sorted(other.settings.items())), other)
    ranked = sorted(unique.values(), key=lambda other: (not other.built_in, -other.tokens_per_s_per_gpu))
    return tuple(ranked), considered, traced


def _too_large(question: Question, base: TrainingSetup, found: Found) -> Selection:
    """Nothing of the recipe fits: return its leanest setting, and what would fit beyond it."""
    lean = _ladder(question, base)[-1]
    memory = estimate_memory(question.shape, lean, question.capacity_gib, KNOWN_ERROR_PCT)
    recipe = _recipe(question.request.recipe, lean)
    if not question.open or question.machine is None:
        return Selection(recipe, lean, memory, False, (), found.considered, found.traced)
    reference = consider(question.shape, {}, lean, question.machine)
    reference.memory = memory
    # First what FSDP alone would do, even against what was stated; then what it takes beyond.
    searches = [
        # in fp16, where that was given up for fp32, all is faster by more than any other setting
        *(search_wide(question, one, ("tp", "cp")) for one in in_fp16(question.machine.device, base, question.request)),
        search_wide(question, base, ("tp", "cp")),
        search_wide(question, base, ("tp", "cp"), freely=True),
        search_wide(question, base),
    ]
    options = [option for one in searches for option in (one.best, *one.others[:4]) if option is not None]
    others: dict[str, Alternative] = {}
    for option in options:
        other = alternative(question.shape, option, reference, question.language)
        if other.settings:
            others.setdefault(str(sorted(other.settings.items())), other)
    return Selection(
        recipe,
        lean,
        memory,
        False,
        tuple(others.values()),
        found.considered + sum(one.considered for one in searches),
        found.traced + sum(one.traced for one in searches),
    )


def _first_of_ladder(question: Question, base: TrainingSetup) -> Selection:
    """Without a known GPU speed is not predicted: take the first step that fits."""
    rungs = _ladder(question, base)
    for setup in rungs:
        memory = estimate_memory(question.shape, setup, question.capacity_gib, KNOWN_ERROR_PCT)
        capacity = question.capacity_gib
        judged = None if capacity is None else fits(memory, capacity, question.request.aim.margin_pct)
        if judged is not False or setup is rungs[-1]:
            break
    return Selection(_recipe(question.request.recipe, setup), setup, memory, judged, (), len(rungs), len(rungs))


def _ladder(question: Question, base: TrainingSetup) -> list[TrainingSetup]:
    """Return the setups from the fastest to the leanest: each step gives up speed for memory."""
    stated = question.request.recipe.model_fields_set
    steps: tuple[dict[str, Any], ...] = (
        {"ac": "none", "cpu_offload": False},
        {"ac": "full", "cpu_offload": False},
        {"ac": "full", "cpu_offload": True},
    )
    rungs: list[TrainingSetup] = []
    for step in steps:
        free = {name: value for name, value in step.items() if RECIPE_NAMES[name] not in stated}
        setup = base.model_copy(update=free)
        if setup not in rungs:
            rungs.append(setup)
    # Host memory either way: on CPU ranks offloading moves nothing.
    return rungs[:1] if base.device == "cpu" else rungs


def _recipe(recipe: Recipe, setup: TrainingSetup) -> Recipe:
    """Return the request's recipe with the chosen settings."""
    chosen = {ours: getattr(setup, name) for name, ours in RECIPE_NAMES.items()}
    return recipe.model_copy(update=chosen | {"param_dtype": setup.param_dtype})
