"""Which is faster: the sentences on speed, and the choice that follows."""

from collections.abc import Iterator, Sequence

from contracts.study import Sentence
from engines.study.cells import Cell
from engines.study.facts import Facts, apart, leaner
from engines.study.labels import joined
from engines.study.sizes import by_size
from engines.study.texts import text

SAME_PCT = 0.5
"""Predicted speeds closer than this are the same: there is nothing to measure."""


def usable(facts: Facts, condition: int) -> list[Cell]:
    """Return what may be run under a condition: what fits; what is too close to tell only where nothing does."""
    cells = facts.of(condition)
    yes = [cell for cell in cells if cell.fits]
    if yes or any(cell.capacity_gib is not None for cell in cells):
        return yes or [cell for cell in cells if cell.close]
    return list(cells)


def sizes_vary(cells: Sequence[Cell]) -> bool:
    """Tell whether options differ in their number of ranks."""
    return len({cell.ranks for cell in cells}) > 1


def racing(facts: Facts, condition: int) -> tuple[list[Sentence], Cell | None]:
    """Return what is to be said of speed under a condition, and the option to take.

    The option is None where nothing fits, or where the options cannot be told apart.
    """
    cells = usable(facts, condition)
    if not cells:
        return [*_alone(facts, condition)], None
    if len(cells) == 1:
        told = [*_alone(facts, condition)] if facts.outline.asks_speed or not cells[0].fits else []
        return told, cells[0] if cells[0].fits or cells[0].capacity_gib is None else None
    if any(not cell.speed for cell in cells):
        return [facts.say("no_speed", cells, at=facts.at(condition))], None
    if sizes_vary(cells):
        return by_size(facts, condition, cells)
    return _equal_size(facts, condition, cells)


def _alone(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield how all options stand by predicted speed where too few of them are sure to fit for a race."""
    ranked = sorted((cell for cell in facts.of(condition) if cell.speed), key=lambda cell: -(cell.total_speed or 0.0))
    if len(ranked) < 2:
        return
    first, second = (cell.total_speed or 1.0 for cell in ranked[:2])
    pct, error = 100 * (first / second - 1), max(cell.error_pct for cell in ranked[:2])
    values = {"name": facts.name(ranked[0]), "pct": facts.number(pct), "error": facts.number(error, 0)}
    speeds = [
        text("total", facts.language, name=facts.name(cell), speed=facts.speed(cell.total_speed or 0.0))
        for cell in ranked
    ]
    yield facts.say(
        "speed_alone",
        ranked,
        at=facts.at(condition),
        speeds=joined(speeds, facts.language),
        verdict=text("speed_leads" if pct > error else "speed_tied", facts.language, **values),
    )


def _unit(facts: Facts) -> str:
    return "rank" if facts.known.on_cpu else "GPU"


def _equal_size(facts: Facts, condition: int, cells: list[Cell]) -> tuple[list[Sentence], Cell | None]:
    ranked = sorted(cells, key=lambda cell: -(cell.speed or 0.0))
    best = ranked[0]
    told = [*_measured(facts, condition, cells)]
    equal = [cell for cell in ranked if cell is best or not apart(best, cell)]
    behind = [cell for cell in ranked if cell not in equal]
    if len(equal) == len(ranked) and spread_pct(equal) < SAME_PCT:
        return [*told, _same(facts, condition, equal), *_parted_by_memory(facts, equal)], None
    if len(equal) == 1:
        told.append(_fastest(facts, condition, best, behind[0]))
        told += [_behind(facts, condition, best, cell) for cell in behind[1:]]
        return told, best
    told.append(_untold(facts, condition, equal))
    told += [_behind(facts, condition, best, cell) for cell in behind]
    told.append(_until_measured(facts, equal))
    return told, None


def _fastest(facts: Facts, condition: int, best: Cell, second: Cell) -> Sentence:
    assert best.speed
    assert second.speed
    return facts.say(
        "fastest",
        [best, second],
        name=facts.name(best),
        at=facts.at(condition),
        speed=facts.speed(best.speed),
        slower=facts.speed(second.speed),
        other=facts.name(second),
        unit=_unit(facts),
        pct=facts.number(100 * (best.speed / second.speed - 1), 0),
        error=facts.number(max(best.error_pct, second.error_pct), 0),
    )


def _untold(facts: Facts, condition: int, equal: list[Cell]) -> Sentence:
    speeds = [cell.speed or 0.0 for cell in equal]
    return facts.say(
        "untold",
        equal,
        names=facts.names(equal),
        at=facts.at(condition),
        speeds=joined([facts.speed(speed) for speed in speeds], facts.language),
        unit=_unit(facts),
        pct=facts.number(spread_pct(equal)),
        error=facts.number(max(cell.error_pct for cell in equal), 0),
    )


def spread_pct(cells: Sequence[Cell]) -> float:
    """Return by how much the fastest of some cells leads the slowest, in percent."""
    speeds = [cell.speed or 0.0 for cell in cells]
    return 100 * (max(speeds) / min(speeds) - 1)


def _same(facts: Facts, condition: int, equal: list[Cell]) -> Sentence:
    return facts.say(
        "same",
        equal,
        names=facts.names(equal),
        at=facts.at(condition),
        speed=facts.speed(max(cell.speed or 0.0 for cell in equal)),
        unit=_unit(facts),
        error=facts.number(max(cell.error_pct for cell in equal), 0),
    )


def _parted_by_memory(facts: Facts, equal: list[Cell]) -> Iterator[Sentence]:
    lean, large = (choose(equal, key=lambda cell: cell.peak_gib) for choose in (min, max))
    if leaner(lean, large):
        less = facts.gib(large.peak_gib - lean.peak_gib)
        yield facts.say("same_leaner", [lean, large], lean=facts.name(lean), less=less, other=facts.name(large))


def _behind(facts: Facts, condition: int, best: Cell, cell: Cell) -> Sentence:
    assert best.speed
    assert cell.speed
    return facts.say(
        "behind",
        [best, cell],
        name=facts.name(cell),
        other=facts.name(best),
        at=facts.at(condition),
        pct=facts.number(100 * (1 - cell.speed / best.speed), 0),
        speed=facts.speed(cell.speed),
        faster=facts.speed(best.speed),
        unit=_unit(facts),
        error=facts.number(max(best.error_pct, cell.error_pct), 0),
    )


def _until_measured(facts: Facts, equal: list[Cell]) -> Sentence:
    """Return what the numbers lean to, without a verdict: who leads on paper, who leaves more room."""
    fast = equal[0]
    if fast.measured_tokens_per_s is not None:
        plain = min(equal, key=lambda cell: cell.option)
        return facts.say("measured_alike", equal, plain=facts.name(plain))
    lean = min(equal, key=lambda cell: cell.peak_gib)
    values = {"fast": facts.name(fast), "pct": facts.number(spread_pct(equal))}
    if lean is fast or not leaner(lean, fast):
        both = lean is fast and all(leaner(fast, cell) for cell in equal if cell is not fast)
        return facts.say("leans_both" if both else "leans", equal, **values)
    less = facts.gib(fast.peak_gib - lean.peak_gib)
    pct = facts.number(spread_pct([fast, lean]))
    return facts.say("leans_apart", [fast, lean], fast=values["fast"], pct=pct, lean=facts.name(lean), less=less)


def _measured(facts: Facts, condition: int, cells: list[Cell]) -> Iterator[Sentence]:
    ran = [cell for cell in cells if cell.measured_tokens_per_s is not None]
    if not ran:
        return
    speeds = [
        text(
            "measured_one",
            facts.language,
            name=facts.name(cell),
            speed=facts.speed(cell.speed or 0.0),
            error=facts.number(cell.error_pct, 0),
        )
        for cell in ran
    ]
    yield facts.say("measured", ran, at=facts.at(condition), speeds=joined(speeds, facts.language))
