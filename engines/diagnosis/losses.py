"""Losses that ranks printed: whose was the first that is no number, whether it rose before, whether it moved at all."""

import math
import re
from collections.abc import Iterable

from engines.diagnosis.clue import Clue
from engines.diagnosis.line import Line

_LOSS = re.compile(
    r"(?:\brank ?(\d{1,6})\b.{0,20}?)?\bstep\W{0,3}(\d{1,12})\b.{0,60}?"
    r"\bloss\W{1,3}(-?(?:nan|inf\w*|[\d.]+(?:e[+-]?\d+)?))",
    re.IGNORECASE,
)
_SURE = 7.0
_RISE = 10.0
"""How many times the lowest loss before is a rise, not noise."""
_STEPS_MAX = 10_000
_STILL_STEPS, _STILL_DIGITS = 5, 4
"""So many steps with the same loss, printed with so many digits, are no chance."""
_LIKELY = 5.0


def clues_of_losses(lines: Iterable[Line]) -> list[Clue]:
    """Return what the losses say: one rank's data, a training that diverged, or one that trains nothing.

    Args:
        lines: Lines as they were kept.
    """
    steps: dict[int, dict[str, tuple[float, Line]]] = {}
    for line in lines:
        found = _LOSS.search(line.text)
        if found is None or len(steps) > _STEPS_MAX:
            continue
        loss = _number(found[3])
        rank = found[1] or line.rank or ""
        if loss is not None:
            steps.setdefault(int(found[2]), {}).setdefault(rank, (loss, line))
    first = min((step for step, ranks in steps.items() if any(_bad(loss) for loss, _ in ranks.values())), default=None)
    if first is None:
        return _still(steps)
    bad = {rank: line for rank, (loss, line) in steps[first].items() if _bad(loss)}
    fine = [rank for rank, (loss, _) in steps[first].items() if not _bad(loss)]
    before = [loss for step in sorted(steps) if step < first for loss, _ in steps[step].values()]
    line = next(iter(bad.values()))
    lowest = min(map(abs, before), default=math.inf)
    if before and abs(before[-1]) > _RISE * lowest:
        text = f"the loss rose from {lowest:.4g} to {before[-1]:.4g} before it was no number at step {first}"
        return [Clue("training-diverged", _SURE, line.file, line.number, text)]
    if fine:
        who = ", ".join(sorted(bad))
        text = f"at step {first} the loss of rank {who} is no number, that of {len(fine)} other ranks is"
        return [Clue("nan-from-one-rank", _SURE, line.file, line.number, text)]
    return []


def _still(steps: dict[int, dict[str, tuple[float, Line]]]) -> list[Clue]:
    """Return what it says where a rank's loss is the same, digit for digit, at every step."""
    by_rank: dict[str, list[tuple[float, Line]]] = {}
    for step in sorted(steps):
        for rank, told in steps[step].items():
            by_rank.setdefault(rank, []).append(told)
    for trail in by_rank.values():
        loss, line = trail[0]
        digits = len(re.sub(r"\D", "", f"{loss:.10g}"))
        if len(trail) >= _STILL_STEPS and digits >= _STILL_DIGITS and all(value == loss for value, _ in trail):
            text = f"the loss is {loss:.10g} at each of {len(trail)} steps: no step changes the parameters"
            return [Clue("optimizer-holds-wrong-params", _LIKELY, line.file, line.number, text)]
    return []


def _bad(loss: float) -> bool:
    return not math.isfinite(loss)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # such as "1.2.3"
        return None
