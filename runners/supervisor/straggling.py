"""Tell a rank that holds the others up, by the time that each spends of its own.

Step times do not: collectives make all ranks as slow as the slowest. The payload adds up
in its heartbeats what holds no collective (`Spent`). A notice ends nothing.
"""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from runners.supervisor.heartbeats import Beat, Spent
from runners.supervisor.recorder import Recorder

_MOST_NOTICES = 20
_MOST_AT_ONCE = 8
_BACKWARD = 3.0
"""Seconds of forward and backward over those of the forward: the backward takes twice as long."""


class Bounds(NamedTuple):
    """When a rank counts as a straggler."""

    window_s: float = 10.0
    """Seconds over which a rank's time is averaged, at least."""
    window_steps: int = 20
    """Optimizer steps likewise."""
    windows: int = 3
    """Windows in a row: a rank that was busy for a moment is none."""
    factor: float = 1.3
    """Own time of a rank over that of the median rank."""
    share: float = 0.05
    """What it takes longer, as a share of the step: less is not worth a word."""


class Slow(NamedTuple):
    """A rank in one window; times are those of one step."""

    rank: int
    excess_s: float
    """Seconds more than the median rank."""
    own_s: float
    """Seconds of its own work."""
    usual_s: float
    """The same of the median rank."""
    step_s: float
    """Seconds of the whole step."""
    data: bool
    """Whether the preparation of batches is what takes longer; else the computation."""

    @property
    def words(self) -> str:
        """The same for a person."""
        at = "preparing its batches" if self.data else "computing"
        own_ms, usual_ms, step_ms = (1000 * seconds for seconds in (self.own_s, self.usual_s, self.step_s))
        share = self.excess_s / self.step_s
        return (
            f"rank {self.rank} holds the others up: {own_ms:.0f} ms of its own work in a step, the median rank "
            f"{usual_ms:.0f} ms; it is slow at {at}, about {share:.0%} of each step ({step_ms:.0f} ms)"
        )


class Stragglers:
    """The ranks of one start, compared window by window."""

    def __init__(
        self,
        number: int,
        recorder: Recorder,
        bounds: Bounds | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Compare nothing yet.

        Args:
            number: The start.
            recorder: Where a straggler is written down.
            bounds: When a rank counts as one.
            clock: Seconds of a clock that is never set.
        """
        self._number, self._recorder, self._clock = number, recorder, clock
        self._bounds = bounds or Bounds()
        self._first: dict[int, Spent] = {}
        self._began_s = 0.0
        self._in_a_row: dict[int, int] = {}
        self._notices = 0

    def look(self, beats: dict[int, Beat]) -> None:
        """Compare the ranks where a window is full, and write a `straggler` entry for a persistent one."""
        spent = {rank: beat.spent for rank, beat in beats.items() if beat.spent is not None}
        if len(spent) < 2:
            return
        if spent.keys() != self._first.keys():
            self._first, self._began_s = spent, self._clock()
            return
        steps = {rank: now.steps - self._first[rank].steps for rank, now in spent.items()}
        window_s = self._clock() - self._began_s
        if window_s < self._bounds.window_s or min(steps.values()) < self._bounds.window_steps:
            return
        slow = slow_ranks(self._first, spent, window_s, self._bounds)
        self._first, self._began_s = spent, self._clock()
        self._in_a_row = {found.rank: self._in_a_row.get(found.rank, 0) + 1 for found in slow}
        for found in slow[:_MOST_AT_ONCE]:
            if self._in_a_row[found.rank] == self._bounds.windows and self._notices < _MOST_NOTICES:
                self._notices += 1
                facts = {**found._asdict(), "message": found.words}
                self._recorder.note("straggler", attempt=self._number, **facts)


def slow_ranks(first: dict[int, Spent], last: dict[int, Spent], window_s: float, bounds: Bounds) -> list[Slow]:
    """Return the ranks that took much longer than the median rank, the slowest first.

    Args:
        first: What each rank had spent when the window began.
        last: The same when it ended, each with more steps.
        window_s: Seconds between the two.
        bounds: What counts as much longer.
    """
    steps = {rank: now.steps - first[rank].steps for rank, now in last.items()}
    host = {rank: (now.host_s - first[rank].host_s) / steps[rank] for rank, now in last.items()}
    device = {rank: _BACKWARD * (now.forward_s - first[rank].forward_s) / steps[rank] for rank, now in last.items()}
    # the lower one of two: half of the ranks are at least as fast
    usual_host, usual_device = statistics.median_low(host.values()), statistics.median_low(device.values())
    usual_s = statistics.median_low(host[rank] + device[rank] for rank in last)
    step_s = window_s / statistics.median(steps.values())
    found = []
    for rank in last:
        own_s = host[rank] + device[rank]
        excess_s = own_s - usual_s
        if own_s > bounds.factor * usual_s and excess_s > bounds.share * step_s:
            data = host[rank] - usual_host > device[rank] - usual_device
            found.append(Slow(rank, excess_s, own_s, usual_s, step_s, data))
    return sorted(found, key=lambda slow: slow.excess_s, reverse=True)
