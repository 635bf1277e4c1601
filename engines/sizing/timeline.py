"""One training step as a series of moments, and the peak as a function of one setting: what a chart shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.errors import InputError
from engines.sizing.away import Slots
from engines.sizing.closed_form import GIB
from engines.sizing.estimate import estimate_memory
from engines.sizing.layout import lay_out, stages_by_rank
from engines.sizing.peak import components
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.step import Step
from engines.sizing.tape import Event
from engines.sizing.trace import STEPS

SWEPT = ("seq_len", "ranks")
"""Settings over which the peak may be swept."""

DOUBLINGS = 3
"""A sweep goes so many doublings down and up from what was asked for."""


@dataclass(frozen=True)
class Moment:
    """What is there at one moment of a step, in GiB."""

    phase: str
    """Phase of the step."""
    parts: dict[str, float]
    """By component."""
    reserved: float
    """Held by the allocator."""


@dataclass(frozen=True)
class Point:
    """The peak for one value of a setting, in GiB."""

    value: int
    """Value of the setting."""
    active: float
    """Allocated."""
    reserved: float
    """Held by the allocator."""


class _Recorder(Step):
    """A step that notes each moment, and the highest one within each piece of work."""

    moments: list[Moment]

    def run(self, events: Sequence[Event], slots: Slots, phase: str) -> None:
        with_peak = self._highest(phase)
        next(with_peak)
        super().run(events, slots, phase)
        next(with_peak, None)

    def _optimize(self) -> None:
        with_peak = self._highest("optimizer")
        next(with_peak)
        super()._optimize()
        next(with_peak, None)

    def _highest(self, phase: str) -> Iterator[None]:
        """Note the moments before, at the height of, and after what runs between two calls."""
        before, self.allocator.peak_active = self.allocator.peak_active, self.allocator.active
        self._note(phase, self.allocator.active)
        yield
        self._note(phase, self.allocator.peak_active)
        self._note(phase, self.allocator.active)
        self.allocator.peak_active = max(before, self.allocator.peak_active)

    def _note(self, phase: str, total: int) -> None:
        kept = self.saved - self.away.host
        parts = components(self.state, self.optimizer_state, self.groups, kept, total)
        sizes = {name: size / GIB for name, size in parts.items()}
        self.moments.append(Moment(phase, sizes, self.allocator.reserved / GIB))


def moments_of_step(shape: ModelShape, setup: TrainingSetup) -> tuple[Moment, ...]:
    """Return the moments of one steady training step of a rank.

    Raises:
        InputError: The run has a pipeline, whose ranks have no step in common.
    """
    if setup.pp > 1:
        raise InputError(f"pp {setup.pp}: the ranks of a pipeline have no step in common", hint="choose pp=1")
    recorder = _Recorder(shape, setup, lay_out(shape, setup, stages_by_rank(shape, setup)[0][0]))
    for _ in range(STEPS):
        recorder.moments = []
        recorder.step()
    return tuple(recorder.moments)


def sweep(shape: ModelShape, setup: TrainingSetup, over: str) -> tuple[Point, ...]:
    """Return the peak for values of one setting around the one that is set; others stay.

    Args:
        shape: The model.
        setup: How it is trained.
        over: "seq_len", or "ranks" (shard ranks; the other degrees stay).

    Raises:
        InputError: The setting is not one of SWEPT.
    """
    if over not in SWEPT:
        raise InputError(f"the peak is not swept over {over!r}; it can be over {' or '.join(SWEPT)}")
    fields = setup.model_dump()
    points = []
    for value in _values(setup, over):
        changed = fields | {over: value}
        if over == "ranks":
            changed["dp_shard"] = value // (setup.ranks // setup.dp_shard)
        memory = estimate_memory(shape, make_setup(**changed))
        points.append(Point(value, memory.active_gib, memory.reserved_gib))
    return tuple(points)


def _values(setup: TrainingSetup, over: str) -> list[int]:
    center = setup.seq_len if over == "seq_len" else setup.ranks
    smallest = setup.cp * setup.tp if over == "seq_len" else setup.ranks // setup.dp_shard * setup.ep
    halves = [center >> step for step in range(DOUBLINGS, 0, -1) if center % (1 << step) == 0]
    return [value for value in halves if value >= smallest and value % smallest == 0] + [
        center << step for step in range(DOUBLINGS + 1)
    ]
