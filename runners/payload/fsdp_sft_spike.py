"""Tells a spike of the loss from its noise."""

import math
import statistics
from collections import deque

_WINDOW_STEPS = 50
_LEAST_STEPS = 20
_DEVIATIONS = 6.0
_LEAST_SHARE = 0.3
"""A smooth loss has hardly any noise: below this share above the median nothing is a spike."""
_DEVIATION_PER_MAD = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation, 1 / 0.6745."""


class SpikeWatch:
    """The losses of the last 50 steps, and whether the newest stands far above them.

    Median and median absolute deviation are used, since a spike itself would move a mean.
    """

    def __init__(self) -> None:
        self._losses: deque[float] = deque(maxlen=_WINDOW_STEPS)
        self._high = False

    def seen(self, loss: float) -> str | None:
        """Take the loss of a step in nats per token; return a sentence where a spike begins with it."""
        if not math.isfinite(loss):
            return None
        before, was_high = list(self._losses), self._high
        self._losses.append(loss)
        if len(before) < _LEAST_STEPS:
            return None
        median = statistics.median(before)
        deviation = _DEVIATION_PER_MAD * statistics.median(abs(value - median) for value in before)
        self._high = loss > median + max(_DEVIATIONS * deviation, _LEAST_SHARE * abs(median))
        if not self._high or was_high:
            return None
        return f"loss {loss:.4g}; the median of the {len(before)} steps before is {median:.4g}"
