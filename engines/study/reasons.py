"""Why: what the links carry, what a step waits for, what the states take, what a condition changes."""

from collections.abc import Iterator

from contracts.study import Sentence
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.labels import joined
from engines.study.texts import text

_LITTLE = 0.1
"""Share of a step that waits for links, below which no sharding can win much."""

_WORTH_TELLING_GB = 0.1

_SHOWN = 4
"""Sums that are shown at most."""

_WAITING_AXES = frozenset({"offload", "tp", "cp", "network"})
_LINK_AXES = frozenset({"sharding", "network"})


def reasons(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield the reasons that the numbers of a condition show."""
    cells, at = facts.of(condition), facts.at(condition)
    axes = {choice.axis for option in facts.outline.options for choice in option.choices}
    if axes & {"sharding", "gpus", "offload", "optimizer", "method", "precision"}:
        yield from _states(facts, cells, at)
    crossing = [cell for cell in cells if cell.crossing_gb and cell.crossing_gb > _WORTH_TELLING_GB and cell.step_s]
    if axes & _LINK_AXES and crossing:
        yield _links(facts, crossing, at)
    elif axes & _WAITING_AXES:
        waiting = [cell for cell in cells if cell.step_s]
        shares = [
            text("wait", facts.language, name=facts.name(c), exposed=facts.number(c.exposed_s, 2), step=_s(facts, c))
            for c in waiting
        ]
        if waiting:
            yield facts.say("waits", waiting, at=at, shares=joined(shares, facts.language))
    hosts = [cell for cell in cells if cell.host_gib_per_node]
    if hosts:
        sizes = [f"{facts.name(cell)} {facts.gib(cell.host_gib_per_node)}" for cell in hosts]
        yield facts.say("host", hosts, at=at, sizes=joined(sizes, facts.language))


def changes(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield what a condition changes against the first one, for the first option that both have."""
    before = {cell.option: cell for cell in facts.of(0)}
    here = [cell for cell in facts.of(condition) if cell.option in before]
    if not here:
        return
    cell = here[0]
    was = before[cell.option]
    yield facts.say(
        "changes",
        [was, cell],
        condition=facts.condition(condition),
        base=facts.condition(0),
        name=facts.name(cell),
        peak=facts.gib(cell.peak_gib),
        before=facts.gib(was.peak_gib),
        activations=facts.gib(cell.activations_gib),
        less=facts.gib(was.activations_gib),
        speed=_changed_speed(facts, was, cell),
    )


def _changed_speed(facts: Facts, was: Cell, cell: Cell) -> str:
    if not was.speed or not cell.speed:
        return ""
    values = {"speed": facts.speed(cell.speed), "faster": facts.speed(was.speed)}
    if not cell.step_s or not was.step_s or "seq_len" not in cell.settings:
        return text("changes_speed_only", facts.language, **values)
    share, pct = (facts.number(100 * one.attention_s / one.step_s, 0) for one in (was, cell))
    return text("changes_speed", facts.language, share=share, pct=pct, **values)


def _states(facts: Facts, cells: tuple[Cell, ...], at: str) -> Iterator[Sentence]:
    told = [cell for cell in cells if cell.states_arithmetic]
    if len(told) > _SHOWN:  # of many sizes those on both sides of the limit
        at_limit = next((place for place, cell in enumerate(told) if cell.fits), len(told) - 1)
        told = told[max(0, at_limit - 1) : at_limit + 1]
    sums = [f"{facts.name(cell)}: {cell.states_arithmetic}" for cell in told]
    if told and len({cell.states_arithmetic for cell in told}) > 1:
        yield facts.say("states", told, at=at, sums="; ".join(sums))


def _links(facts: Facts, cells: list[Cell], at: str) -> Sentence:
    first = cells[0]
    volumes = [
        text("volume", facts.language, name=facts.name(cell), gb=facts.number(cell.crossing_gb or 0.0, 0))
        for cell in cells
    ]
    share = first.exposed_s / first.step_s
    return facts.say(
        "links" if share < _LITTLE else "links_bound",
        cells,
        at=at,
        volumes=joined(volumes, facts.language),
        step=_s(facts, first),
        name=facts.name(first),
        exposed=facts.number(first.exposed_s, 2),
        pct=facts.number(100 * share),
    )


def _s(facts: Facts, cell: Cell) -> str:
    return facts.number(cell.step_s, 1 if cell.step_s >= 10 else 2)
