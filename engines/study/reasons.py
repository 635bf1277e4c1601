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

_WAITING_AXES = frozenset({"offload", "tp", "cp"})


def reasons(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield the reasons that the numbers of a condition show."""
    cells, at = facts.of(condition), facts.at(condition)
    axes = {choice.axis for option in facts.outline.options for choice in option.choices}
    if axes & {"sharding", "gpus", "offload", "optimizer", "method", "precision"}:
        yield from _states(facts, cells, at)
    crossing = [cell for cell in cells if cell.crossing_gb and cell.crossing_gb > _WORTH_TELLING_GB and cell.step_s]
    if axes & {"network", "reduction"} and crossing:
        yield facts.say(
            "links_network", crossing, at=at, volumes=_volumes(facts, crossing), shares=_shares(facts, crossing)
        )
    elif "sharding" in axes and crossing:
        yield _links(facts, crossing, at)
    elif axes & _WAITING_AXES and any(cell.step_s for cell in cells):
        waiting = [cell for cell in cells if cell.step_s]
        key = "waits_offload" if "offload" in axes else "waits"
        yield facts.say(key, waiting, at=at, shares=_shares(facts, waiting))
    hosts = [cell for cell in cells if cell.host_gib_per_node]
    if hosts:
        sizes = [f"{facts.name(cell)} {facts.gib(cell.host_gib_per_node)}" for cell in hosts]
        yield facts.say("host", hosts, at=at, sizes=joined(sizes, facts.language))


def changes(facts: Facts, condition: int) -> Iterator[Sentence]:
    """Yield what a condition changes against the first one, for the leanest option that fits, or comes nearest."""
    before = {cell.option: cell for cell in facts.of(0)}
    here = [cell for cell in facts.of(condition) if cell.option in before]
    if not here:
        return
    # the one that is taken, else the one that is nearest to fitting
    cell = min(here, key=lambda one: _nearness(before[one.option]))
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
        speed=_changed_speed(facts, was, cell, condition),
    )


def _nearness(cell: Cell) -> tuple[bool, float]:
    return not cell.fits, cell.option if cell.fits else cell.peak_gib


def _changed_speed(facts: Facts, was: Cell, cell: Cell, condition: int) -> str:
    if not was.speed or not cell.speed:
        return ""
    values = {"speed": facts.speed(cell.speed), "faster": facts.speed(was.speed)}
    longer = any(choice.axis == "seq_len" for choice in facts.outline.conditions[condition].choices)
    if not cell.step_s or not was.step_s or not longer:
        return text("changes_speed_only", facts.language, **values)
    share, pct = (facts.number(100 * one.attention_s / one.step_s, 0) for one in (was, cell))
    return text("changes_speed", facts.language, share=share, pct=pct, **values)


def _states(facts: Facts, cells: tuple[Cell, ...], at: str) -> Iterator[Sentence]:
    told = [cell for cell in cells if cell.states_arithmetic and cell.states_gib]
    if len(told) > _SHOWN:  # of many sizes those on both sides of the limit
        at_limit = next((place for place, cell in enumerate(told) if cell.fits), len(told) - 1)
        told = told[max(0, at_limit - 1) : at_limit + 1]
    sums = [f"{facts.name(cell)}: {cell.states_arithmetic}" for cell in told]
    if told and len({cell.states_arithmetic for cell in told}) > 1:
        yield facts.say("states", told, at=at, sums="; ".join(sums))


def _shares(facts: Facts, cells: list[Cell]) -> str:
    shares = [
        text(
            "wait", facts.language, name=facts.name(cell), exposed=facts.number(cell.exposed_s, 2), step=_s(facts, cell)
        )
        for cell in cells
    ]
    return joined(shares, facts.language)


def _volumes(facts: Facts, cells: list[Cell]) -> str:
    told = [
        text("volume", facts.language, name=facts.name(cell), gb=facts.number(cell.crossing_gb or 0.0, 0))
        for cell in cells
    ]
    return joined(told, facts.language)


def _links(facts: Facts, cells: list[Cell], at: str) -> Sentence:
    first = cells[0]
    share = first.exposed_s / first.step_s
    return facts.say(
        "links" if share < _LITTLE else "links_bound",
        cells,
        at=at,
        volumes=_volumes(facts, cells),
        step=_s(facts, first),
        name=facts.name(first),
        exposed=facts.number(first.exposed_s, 2),
        pct=facts.number(100 * share),
    )


def _s(facts: Facts, cell: Cell) -> str:
    return facts.number(cell.step_s, 1 if cell.step_s >= 10 else 2)
