"""Precedence: what the structured request states wins over what its question says, and the difference is kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from engines.study.outline import Contradiction, Known
from engines.study.vocabulary import NUMBER_AXES


def against_stated(
    varied: Sequence[str], axes: Sequence[str], values: Mapping[str, list[Any]], known: Known
) -> tuple[list[str], tuple[Contradiction, ...]]:
    """Return which axes vary once the stated values hold, and where the question says something else.

    A question that weighs a setting by name goes on weighing it, whatever its base is. Of numbers and
    names that are stated, others that the question names are left: but for numbers of GPUs, which
    are the question itself.

    Args:
        varied: Axes that vary by the question alone.
        axes: All axes that it speaks of.
        values: Their values by the question.
        known: What is known besides.
    """
    kept: list[str] = []
    found: list[Contradiction] = []
    for axis in axes:
        stated, said = known.stated.get(axis), values[axis]
        differs = stated is not None and not any(_same(value, stated) for value in said)
        weighs = axis in varied and (axis not in NUMBER_AXES or axis == "gpus" or len(said) == 1)
        if axis in varied and (weighs or not differs):
            kept.append(axis)
        if differs and (axis not in varied or (axis in NUMBER_AXES and len(said) > 1)):
            found.append(Contradiction(axis, tuple(said), stated, holds=axis not in kept))
    return kept, tuple(found)


def _same(said: Any, stated: Any) -> bool:
    return bool(said == stated) or (said == "hsdp" and str(stated).startswith("hsdp_"))
