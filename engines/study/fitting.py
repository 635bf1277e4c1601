"""What fits: the sentences on memory."""

from collections.abc import Iterator

from contracts.study import Sentence
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.texts import text

_SHOWN = 3
"""Peaks that are listed where none fits."""


def fitting(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield what fits under a condition, and what would where nothing does."""
    cells, at = facts.of(condition), facts.at(condition)
    if not cells:
        return
    capacity = cells[0].capacity_gib
    peaks = facts.list_of("takes", cells)
    if capacity is None:
        error = facts.number(max(cell.peak_error_pct for cell in cells), 0)
        yield facts.say("no_limit", cells, at=at, peaks=peaks, error=error)
        return
    if len({_room(cell) for cell in cells}) > 1:
        # GPUs of several sizes: each has a limit of its own
        for cell in cells:
            yield _alone(facts, cell, at)
        yield from _remedy(facts, condition, at)
        return
    room = facts.gib(capacity - cells[0].overhead_gib)
    if facts.by_size_alone and any(cell.fits for cell in cells):
        yield _fewest(facts, cells, at, room)
        return
    yes = [cell for cell in cells if cell.fits]
    no = [cell for cell in cells if cell.fits is False]
    close = [cell for cell in cells if cell.close]
    if len(cells) == 1 and yes:
        yield facts.say("one_fits", yes, name=facts.name(yes[0]), at=at, peak=facts.gib(yes[0].peak_gib), room=room)
    elif len(yes) == len(cells):
        yield facts.say("all_fit", cells, at=at, peaks=peaks, room=room)
    elif len(yes) == 1:
        others = [facts.list_of("would_take", no)] if no else []
        others += [facts.list_of("may_take", close)] if close else []
        values = {"name": facts.name(yes[0]), "peak": facts.gib(yes[0].peak_gib), "others": "; ".join(others)}
        yield facts.say("alone_fits", cells, at=at, room=room, **values)
    elif yes and no:
        yield facts.say(
            "some_fit",
            cells,
            at=at,
            room=room,
            fitting=facts.list_of("fits_with", yes),
            failing=facts.list_of("fails_with", no),
        )
    elif no:
        lean = sorted(no, key=lambda cell: cell.peak_gib)[:_SHOWN]
        key = "none_sure" if close else "none_fits"  # what is too close to tell follows
        yield facts.say(key, lean, at=at, peaks=facts.list_of("takes", lean), room=room)
    if len(yes) != 1:
        for cell in close:
            error = facts.number(cell.peak_error_pct, 0)
            peak = facts.gib(cell.peak_gib)
            yield facts.say("close", [cell], name=facts.name(cell), at=at, peak=peak, error=error, room=room)
    yield from _remedy(facts, condition, at)


def _room(cell: Cell) -> float | None:
    return None if cell.capacity_gib is None else cell.capacity_gib - cell.overhead_gib


def _alone(facts: Facts, cell: Cell, at: str) -> Sentence:
    """Return whether a cell fits, by the limit of its own GPU."""
    limit = _room(cell)
    error, peak = facts.number(cell.peak_error_pct, 0), facts.gib(cell.peak_gib)
    values = {"name": facts.name(cell), "at": at, "peak": peak}
    if limit is None:
        return facts.say("no_limit", [cell], at=at, peaks=facts.list_of("takes", [cell]), error=error)
    if cell.close:
        return facts.say("close", [cell], **values, error=error, room=facts.gib(limit))
    return facts.say("one_fits" if cell.fits else "one_fails", [cell], **values, room=facts.gib(limit))


def _fewest(facts: Facts, cells: tuple[Cell, ...], at: str, room: str) -> Sentence:
    """Return how many ranks are the fewest that fit, and what the next smaller number would take."""
    by_size = sorted(cells, key=lambda cell: cell.ranks)
    few = next(cell for cell in by_size if cell.fits)
    below = [cell for cell in by_size if cell.ranks < few.ranks][-1:]
    key = "would_take" if below and below[0].fits is False else "may_take"
    others = facts.list_of(key, below) if below else text("no_fewer", facts.language)
    return facts.say(
        "fewest", [few, *below], name=facts.name(few), at=at, peak=facts.gib(few.peak_gib), room=room, others=others
    )


def _remedy(facts: Facts, condition: int, at: str) -> Iterator[Sentence]:
    if condition not in facts.remedies:
        return
    remedy = facts.remedies[condition]
    if remedy is None:
        yield facts.say("no_remedy", facts.of(condition), at=at)
        return
    cell, speed = remedy.cell, ""
    if cell.speed is not None:
        values = {"speed": facts.speed(cell.speed), "error": facts.number(cell.error_pct, 0)}
        speed = text("remedy_speed", facts.language, **values)
    error, peak = facts.number(cell.peak_error_pct, 0), facts.gib(cell.peak_gib)
    yield facts.say("remedy", [cell], at=at, settings=remedy.name, peak=peak, error=error, speed=speed)
