"""What a run's events amount to: the numbers that a person watches."""

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from contracts.event import Event

_KEPT_STEPS = 2000
_PACE_STEPS = 20
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class _Step:
    step: int
    time: float
    loss: float | None


@dataclass
class Progress:
    """The latest of everything, and a bounded window of losses."""

    steps: int | None = None
    """Optimizer steps planned, as the run's record or the job itself says."""
    step: int = 0
    """Optimizer steps done."""
    loss: float | None = None
    """Last loss in nats per token."""
    grad_norm: float | None = None
    """Last gradient norm."""
    lr: float | None = None
    """Last learning rate."""
    tokens_per_s: float | None = None
    """Last tokens per second over all ranks."""
    memory_gib: float | None = None
    """Last peak memory of rank 0 in GiB."""
    eval_loss: float | None = None
    """Last loss on the held-out examples, in nats per token."""
    checkpoint_step: int | None = None
    """Step of the newest checkpoint."""
    attempt: int = 1
    """Which start of the job is seen, from 1."""
    _window: deque[_Step] = field(default_factory=lambda: deque(maxlen=_KEPT_STEPS), repr=False)

    def add(self, event: Event) -> None:
        """Take one event in; kinds that are not known are passed over."""
        if event.attempt > self.attempt:
            self._restart(event)
        if event.kind == "step" and event.step is not None:
            self._take_step(event, event.step)
        elif event.kind == "boot" and isinstance(event.data.get("steps"), int):
            self.steps = event.data["steps"]
        elif event.kind == "eval" and event.loss is not None:
            self.eval_loss = event.loss
        elif event.kind == "checkpoint" and event.step is not None:
            self.checkpoint_step = event.step
        if event.memory_gib is not None:
            self.memory_gib = event.memory_gib

    def _restart(self, event: Event) -> None:
        self.attempt = event.attempt
        # Seconds between two attempts say nothing about the pace of either.
        self._window = deque((_Step(s.step, float("nan"), s.loss) for s in self._window), maxlen=_KEPT_STEPS)

    def _take_step(self, event: Event, step: int) -> None:
        # After a resume, steps since the checkpoint come again and replace the first ones.
        while self._window and self._window[-1].step >= step:
            self._window.pop()
        self._window.append(_Step(step, event.time, event.loss))
        self.step = step
        self.loss = event.loss if event.loss is not None else self.loss
        self.grad_norm = event.grad_norm if event.grad_norm is not None else self.grad_norm
        self.lr = event.lr if event.lr is not None else self.lr
        self.tokens_per_s = event.tokens_per_s if event.tokens_per_s is not None else self.tokens_per_s

    @property
    def restarts(self) -> int:
        """Starts of the job after the first."""
        return self.attempt - 1

    @property
    def losses(self) -> list[float]:
        """Losses of the last steps, oldest first."""
        return [s.loss for s in self._window if s.loss is not None]

    def seconds_left(self) -> float | None:
        """Return the time to the last step at the median pace of the last steps; None where unknown."""
        if self.steps is None:
            return None
        recent = list(self._window)[-_PACE_STEPS - 1 :]
        paces = [(b.time - a.time) / (b.step - a.step) for a, b in pairwise(recent) if b.time >= a.time]
        return median(paces) * max(0, self.steps - self.step) if paces else None


def sparkline(values: list[float], width: int) -> str:
    """Draw values as blocks of eight heights, the last column being the newest.

    Args:
        values: Oldest first; where there are more than columns, a column shows their mean.
        width: Columns.
    """
    if not values:
        return ""
    columns = min(width, len(values))
    edges = [round(i * len(values) / columns) for i in range(columns + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[round((mean - low) * scale)] for mean in means)


def clock(seconds: float) -> str:
    """Return a duration in seconds as h:mm:ss, or m:ss below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
