"""TrainingSeries: a run's events, thinned to what a page can show."""

from collections.abc import Iterable
from statistics import median

from contracts.event import Event

MAX_POINTS = 2048
"""Points kept of each curve; beyond, every second one is dropped."""
MAX_CHECKPOINTS = 8
"""Checkpoints named in a report, the newest."""


class TrainingSeries:
    """Loss by step, speed, checkpoints: bounded however long the run was.

    A resumed run repeats steps: what the later attempt says of a step counts.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.loss: dict[int, float] = {}
        self.eval_loss: dict[int, float] = {}
        self.checkpoints: list[int] = []
        self.loss_first: float | None = None
        self.loss_last: float | None = None
        self.attempts: set[int] = set()
        self.peak_memory_gib: float | None = None
        self._speeds: list[float] = []
        self._stride = 1

    def add(self, events: Iterable[Event]) -> None:
        """Take in some more events, in the order in which they were written."""
        for event in events:
            self.attempts.add(event.attempt)
            if event.kind == "step":
                self._add_step(event)
            elif event.kind == "eval" and event.loss is not None and event.step is not None:
                self.eval_loss[event.step] = event.loss
            elif event.kind == "checkpoint" and event.step is not None:
                self.checkpoints = [*(s for s in self.checkpoints if s != event.step), event.step][-MAX_CHECKPOINTS:]

    def _add_step(self, event: Event) -> None:
        if event.memory_gib is not None:
            self.peak_memory_gib = max(self.peak_memory_gib or 0.0, event.memory_gib)
        if event.loss is None or event.step is None:
            return
        if self.loss_first is None:
            self.loss_first = event.loss
        self.loss_last = event.loss
        if event.step % self._stride:
            return
        self.loss[event.step] = event.loss
        if event.tokens_per_s is not None:
            self._speeds.append(event.tokens_per_s)
        if len(self.loss) > MAX_POINTS or len(self._speeds) > MAX_POINTS:
            self._stride *= 2
            self.loss = {step: loss for step, loss in self.loss.items() if step % self._stride == 0}
            self._speeds = self._speeds[::2]

    @property
    def tokens_per_s(self) -> float | None:
        """Median tokens per second over all ranks; None where no step reported it."""
        return median(self._speeds) if self._speeds else None
