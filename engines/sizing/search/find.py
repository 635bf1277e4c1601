"""Looking through a space: the closed form judges every configuration, the trace the best."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.aim import Aim, Goal
from engines.sizing.search.option import Option, consider, fits, limit_gib, measure
from engines.sizing.search.space import Axes, configurations
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine

MAX_EXACT = 30
"""Allocation traces in one search at most; each takes 20 to 100 ms."""

SLACK = 1.06
"""How far above the limit a rough prediction may lie, once a trace of its kind corrects it."""

FIRST_SLACK = 1.6
"""The same before any trace of its kind is known: on mixtures of experts the closed form is 50 % high."""

RESOLUTION = 1.02
"""Speeds closer than this are equal: the smaller peak wins then."""


_GOALS: dict[Goal, Callable[[Option], float]] = {
    "fastest": lambda option: 0.0,  # noqa: ARG005 - the signature of the others
    "longest_sequence": lambda option: option.setup.seq_len,
    "fewest_gpus": lambda option: -option.setup.ranks,
    "largest_micro_batch": lambda option: option.setup.micro_batch,
}
"""What counts before speed."""


@dataclass(frozen=True)
class Found:
    """What a search found."""

    best: Option | None
    """The best that fits; None where nothing does."""
    others: tuple[Option, ...]
    """For each value of a knob that the best does not have, the best that has it; all fit."""
    considered: int
    """Configurations that were judged."""
    traced: int
    """How many of them by the allocation trace."""


def search(
    shape: ModelShape,
    base: Mapping[str, Any],
    axes: Axes,
    machine: Machine,
    capacity_gib: float,
    aim: Aim,
    *,
    wanted: int = 8,
) -> Found:
    """Return the best configuration that fits, and the best on the other side of each choice.

    Args:
        shape: The model.
        base: Settings that all share.
        axes: Knobs and their values.
        machine: Where it runs.
        capacity_gib: Memory of a device in GiB.
        aim: What counts, and the margin.
        wanted: Alternatives at most.
    """
    options = [consider(shape, changes, setup, machine) for changes, setup in configurations(base, axes)]
    first = _GOALS[aim.goal]
    options.sort(key=lambda option: (-first(option), -option.speed.tokens_per_s_per_gpu, option.rough_gib))
    looking = _Looking(shape, capacity_gib, aim.margin_pct)
    best = looking.thriftiest(options, looking.first(options), first)
    others: list[Option] = []
    for name, value in _other_values(axes, best) if best is not None else ():
        other = looking.first(option for option in options if option.changes[name] == value)
        if other is not None and other not in others:
            others.append(other)
    others.sort(key=lambda option: (-first(option), -option.speed.tokens_per_s_per_gpu))
    return Found(best, tuple(others[:wanted]), len(options), looking.traced)


def _other_values(axes: Axes, best: Option) -> Iterator[tuple[str, Any]]:
    """Yield the values of each knob that the best option does not have."""
    for name, values in axes.items():
        # Of lengths and batches the neighbours alone say something.
        near = values if len(values) <= _FEW else _neighbours(values, best.changes[name])
        for value in near:
            if value != best.changes[name]:
                yield name, value


_FEW = 4


def _neighbours(values: Sequence[Any], chosen: Any) -> Sequence[Any]:
    place = values.index(chosen)
    return values[max(0, place - 1) : place + 2]


class _Looking:
    """The traces of one search, and what they teach about the closed form."""

    def __init__(self, shape: ModelShape, capacity_gib: float, margin_pct: float) -> None:
        self._shape, self._capacity, self._margin = shape, capacity_gib, margin_pct
        self._limit = limit_gib(capacity_gib, margin_pct)
        self._ratios: dict[tuple[Any, ...], float] = {}
        self.traced = 0

    def first(self, options: Iterable[Option]) -> Option | None:
        """Return the first option that fits."""
        for option in options:
            if self._promising(option) and self._fits(option):
                return option
        return None

    def thriftiest(
        self, options: Iterable[Option], fastest: Option | None, first: Callable[[Option], float]
    ) -> Option | None:
        """Return the option with the smallest peak among those as good and as fast as the fastest that fits."""
        if fastest is None:
            return None
        equal = [
            option
            for option in options
            if first(option) == first(fastest)
            and option.speed.tokens_per_s_per_gpu * RESOLUTION >= fastest.speed.tokens_per_s_per_gpu
        ]
        return self.first(sorted(equal, key=lambda option: option.rough_gib)) or fastest

    def _promising(self, option: Option) -> bool:
        if option.memory is not None:
            return True
        if self.traced >= MAX_EXACT:
            return False
        ratio = self._ratios.get(option.kind)
        if ratio is None:
            return option.rough_gib <= self._limit * FIRST_SLACK
        return option.rough_gib * ratio <= self._limit * SLACK

    def _fits(self, option: Option) -> bool:
        self.traced += option.memory is None
        memory = measure(self._shape, option, self._capacity, self._margin)
        self._ratios[option.kind] = memory.reserved_gib / max(option.rough_gib, 1e-9)
        return fits(memory, self._capacity, self._margin)
