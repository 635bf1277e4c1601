"""The wide search: every knob, those that need a script of one's own included."""

from engines.sizing.search.find import Found, search
from engines.sizing.search.question import RECIPE_NAMES, Question
from engines.sizing.search.space import THRIFTY, all_axes
from engines.sizing.setup import TrainingSetup


def search_wide(
    question: Question, base: TrainingSetup, without: tuple[str, ...] = (), *, freely: bool = False
) -> Found:
    """Search all knobs, those that need a script of one's own included, at fixed length and world size.

    Args:
        question: What for.
        base: Settings that are fixed.
        without: Knobs that stay as they are.
        freely: Change what the request states as well, its length and batch apart.
    """
    assert question.machine is not None
    assert question.capacity_gib is not None
    per_node = min(question.per_node, base.ranks)
    axes = all_axes(question.shape, base.ranks, per_node, base.seq_len, question.machine.device)
    if base.lora_rank:
        without = (*without, "tp", "cp", "float8")
    if question.request.aim.goal == "largest_micro_batch":
        axes["micro_batch"] = tuple(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n >= base.micro_batch)
    stated = {"micro_batch"} if freely else question.request.recipe.model_fields_set
    stated = stated & question.request.recipe.model_fields_set
    axes = {
        name: values for name, values in axes.items() if RECIPE_NAMES.get(name) not in stated and name not in without
    }
    fixed = base.model_dump() | THRIFTY
    for name in ("dp_shard", *axes):
        fixed.pop(name, None)
    aim = question.request.aim.model_copy(update={"goal": "fastest"})
    return search(question.shape, fixed, axes, question.machine, question.capacity_gib, aim)
