"""The longest sequence that a setup can train, worked out by bisection."""

from engines.sizing.estimate import estimate_memory
from engines.sizing.search.option import fits
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape

STEP = 1024
"""Tokens to which the length is worked out."""

MOST = 1 << 21
"""Tokens beyond which nobody looks."""


def longest_sequence(
    shape: ModelShape, setup: TrainingSetup, capacity_gib: float, margin_pct: float, known: int = STEP
) -> int:
    """Return the longest sequence that fits, a multiple of 1024 tokens; 0 where not even that fits.

    Args:
        shape: The model.
        setup: Its settings; the length is replaced.
        capacity_gib: Memory of a device in GiB.
        margin_pct: Share of the peak that must stay free on top of it.
        known: A length from which to start; it need not fit.
    """

    def enough(length: int) -> bool:
        memory = estimate_memory(shape, setup.model_copy(update={"seq_len": length}), capacity_gib)
        return fits(memory, capacity_gib, margin_pct)

    low, high = 0, max(STEP, known // STEP * STEP)
    while high <= MOST and enough(high):
        low, high = high, 2 * high
    while high - low > STEP:
        middle = (low + high) // 2 // STEP * STEP
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low
