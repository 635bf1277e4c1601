"""The conclusion: by arithmetic, with the error of every number, the answer first."""

from collections.abc import Iterator
from dataclasses import dataclass

from contracts.study import Sentence
from engines.study.budget import budget_told
from engines.study.cells import Cell
from engines.study.facts import Facts, apart
from engines.study.fitting import fitting
from engines.study.racing import SAME_PCT, racing, spread_pct, usable
from engines.study.reasons import changes, reasons
from engines.study.texts import text


@dataclass(frozen=True)
class Conclusion:
    """What follows from the facts."""

    sentences: tuple[Sentence, ...]
    """The answer first."""
    choice: str | None
    """The option to take under the first condition; None: it cannot be told, or nothing fits."""
    uncertain: tuple[str, ...]
    """What remains uncertain."""
    decide_by: tuple[str, ...]
    """What would decide it."""


def conclude(facts: Facts) -> Conclusion:
    """Draw the conclusion.

    Options under one condition are compared by what fits, then by speed; a difference
    counts only where it exceeds the stated error of the numbers.

    Args:
        facts: What was found out.
    """
    told: list[Sentence] = []
    choice: str | None = None
    for condition in range(len(facts.outline.conditions)):
        speed, chosen = racing(facts, condition)
        here = list(fitting(facts, condition))
        if chosen is not None and len(usable(facts, condition)) > 1 and not facts.by_size_alone:
            # the option by name comes first; what follows says why
            here = [*speed, *here]
        else:
            here += speed
        if condition == 0:
            choice = None if chosen is None else facts.name(chosen)
        else:
            here = [*changes(facts, condition), *here]
        told += [*here, *budget_told(facts, condition), *(reasons(facts, condition) if condition == 0 else ())]
    return Conclusion(tuple(told), choice, tuple(_uncertain(facts)), tuple(_decide_by(facts)))


def _uncertain(facts: Facts) -> Iterator[str]:
    cells = [cell for cell in facts.cells if cell.known]
    errors = sorted({cell.memory_error_pct for cell in cells})
    for error in errors:
        alike = {cell.option: cell for cell in cells if cell.memory_error_pct == error}
        names = text("all_options", facts.language) if len(errors) == 1 else facts.names(list(alike.values()))
        yield text("error_memory", facts.language, error=facts.number(error, 0), names=names)
    for error in sorted({cell.speed_error_pct for cell in cells if cell.tokens_per_s}):
        yield text("error_speed", facts.language, error=facts.number(error, 0), gpu=facts.gpu)
    if any(choice.axis == "gpu" for option in facts.outline.options for choice in option.choices):
        yield text("gpu_price", facts.language)
    for what in dict.fromkeys(note for cell in cells for note in cell.not_counted):
        yield text("not_counted", facts.language, what=what)
    for cell in facts.cells:
        if cell.problem:
            at = facts.at(cell.condition)
            yield text("problem", facts.language, name=facts.name(cell), at=at, why=cell.problem.rstrip("."))


def _decide_by(facts: Facts) -> Iterator[str]:
    for condition in range(len(facts.outline.conditions)):
        cells, at = usable(facts, condition), facts.at(condition)
        for cell in facts.of(condition):
            if cell.close and cell.capacity_gib is not None:
                room = facts.gib(cell.capacity_gib - cell.overhead_gib)
                yield text("decide_fit", facts.language, name=facts.name(cell), at=at, room=room)
        if len(cells) > 1 and any(not cell.speed for cell in cells):
            yield text("decide_unknown", facts.language, names=facts.names(cells), at=at)
        elif len(cells) > 1 and racing(facts, condition)[1] is None:
            yield from _race(facts, cells, at)


def _race(facts: Facts, cells: list[Cell], at: str) -> Iterator[str]:
    if any(cell.measured_tokens_per_s is not None for cell in cells) or len({cell.ranks for cell in cells}) > 1:
        return
    if spread_pct(cells) < SAME_PCT:
        return
    best = max(cells, key=lambda cell: cell.speed or 0.0)
    tied = [cell for cell in cells if not apart(best, cell)]
    pct = facts.number(spread_pct(tied))
    yield text("decide_speed", facts.language, names=facts.names(tied), at=at, pct=pct)
