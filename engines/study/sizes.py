"""Options of different sizes: wall time and GPU hours are two measures."""

from contracts.study import Sentence
from engines.study.cells import Cell
from engines.study.facts import Facts, apart
from engines.study.labels import joined
from engines.study.texts import text


def by_size(facts: Facts, condition: int, cells: list[Cell]) -> tuple[list[Sentence], Cell | None]:
    """Return what is to be said of options that differ in their ranks, and the one to take.

    Args:
        facts: What was found out.
        condition: Place of the condition.
        cells: The options that may be run, all with a speed.
    """
    at = facts.at(condition)
    fastest = max(cells, key=lambda cell: cell.total_speed or 0.0)
    cheapest = max(cells, key=lambda cell: cell.speed or 0.0)
    told = [_in_all(facts, cells, cheapest, at)]
    if facts.by_size_alone:
        # nothing but the number of GPUs is weighed: the fewest that do it are the answer
        return told, min(cells, key=lambda cell: cell.ranks)
    fast = [cell for cell in cells if not _apart_in_all(fastest, cell)]
    cheap = [cell for cell in cells if not apart(cheapest, cell)]
    both = [cell for cell in fast if cell in cheap]
    if not both:
        values = {"fast": facts.name(fastest), "cheap": facts.name(cheapest)}
        return [facts.say("trade", [fastest, cheapest], at=at, **values), *told], None
    best = min(both, key=lambda cell: cell.ranks)
    ties = [cell for cell in fast if cell is not best]
    rivals = [cell for cell in cheap if cell is not best]
    if not ties and rivals:
        error = facts.number(max(cell.error_pct for cell in cheap), 0)
        values = {"name": facts.name(best), "others": facts.names(rivals), "error": error}
        return [facts.say("first_alone", [best, *rivals], at=at, **values), *told], best
    if not ties:
        return [facts.say("both", [best], name=facts.name(best), at=at), *told], best
    error = facts.number(max(cell.error_pct for cell in fast), 0)
    values = {"name": facts.name(best), "others": facts.names(ties), "error": error}
    return [facts.say("both_tied", fast, at=at, **values), *told], best


def _apart_in_all(one: Cell, other: Cell) -> bool:
    fast, slow = max(one.total_speed or 0, other.total_speed or 0), min(one.total_speed or 0, other.total_speed or 0)
    return slow == 0 or 100 * (fast / slow - 1) > max(one.error_pct, other.error_pct)


def _in_all(facts: Facts, cells: list[Cell], cheap: Cell, at: str) -> Sentence:
    totals = [
        text("total", facts.language, name=facts.name(cell), speed=facts.speed(cell.total_speed or 0.0))
        for cell in cells
    ]
    shares = [
        text(
            "share",
            facts.language,
            name=facts.name(cell),
            pct=facts.number(100 * (cell.speed or 0.0) / (cheap.speed or 1.0), 0),
        )
        for cell in cells
    ]
    values = {"totals": joined(totals, facts.language), "shares": joined(shares, facts.language)}
    return facts.say("in_all", cells, at=at, **values)
