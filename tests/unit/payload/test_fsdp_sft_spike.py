"""Loss spikes; the numbers are worked out by hand."""

import math
import random

from fsdp_sft_spike import SpikeWatch


def _after(losses: list[float]) -> SpikeWatch:
    watch = SpikeWatch()
    assert [watch.seen(loss) for loss in losses] == [None] * len(losses)
    return watch


def test_a_jump_is_told_once_until_the_loss_came_down() -> None:
    watch = _after([2.0, 2.2] * 10)
    # median 2.1, median deviation 0.1: the bound is 2.1 + 6 * 1.4826 * 0.1 = 2.99
    assert watch.seen(2.95) is None
    assert watch.seen(4.0) == "loss 4; the median of the 21 steps before is 2.2"
    assert watch.seen(5.0) is None
    assert watch.seen(2.1) is None
    assert watch.seen(4.0) is not None


def test_neither_a_fall_nor_noise_nor_the_beginning_is_a_spike() -> None:
    draw = random.Random(0)
    _after([8.0 * 0.97**step + draw.gauss(0, 0.05) for step in range(200)])
    _after([1.0, 9.0, 1.0, 9.0])


def test_a_smooth_loss_may_rise_a_little() -> None:
    watch = _after([1.0] * 30)
    assert watch.seen(1.29) is None
    assert watch.seen(1.31) is not None


def test_what_is_not_finite_is_no_spike_and_does_not_spoil_the_median() -> None:
    watch = _after([1.0] * 30)
    assert watch.seen(math.nan) is None
    assert watch.seen(math.inf) is None
    assert watch.seen(2.0) is not None
