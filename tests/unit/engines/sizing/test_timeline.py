"""What a chart shows: the moments of a step, and the peak against a setting."""

import pytest

from contracts.errors import InputError
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.timeline import moments_of_step, sweep

SHAPE = named_shape("llama-3.2-1b")
SETUP = make_setup(ranks=8, seq_len=4096, ac="full")


def test_the_highest_moment_is_the_predicted_peak():
    moments = moments_of_step(SHAPE, SETUP)
    memory = estimate_memory(SHAPE, SETUP)
    highest = max(moments, key=lambda moment: sum(moment.parts.values()))
    assert sum(highest.parts.values()) == pytest.approx(memory.active_gib, rel=1e-4)
    assert highest.phase == memory.peak_phase
    assert max(moment.reserved for moment in moments) == pytest.approx(memory.reserved_gib, rel=1e-4)


def test_phases_follow_each_other_and_state_is_there_throughout():
    moments = moments_of_step(SHAPE, SETUP)
    order = [
        at.phase
        for at, before in zip(moments, [None, *moments], strict=False)
        if not before or at.phase != before.phase
    ]
    assert order == ["forward", "loss", "backward", "optimizer"]
    state = 4 * SHAPE.params / 8 / 2**30
    assert all(moment.parts["parameters"] == pytest.approx(state, rel=0.01) for moment in moments)


@pytest.mark.parametrize(("over", "values"), [("seq_len", (512, 32768)), ("ranks", (1, 64))])
def test_a_sweep_goes_three_doublings_down_and_up(over, values):
    points = sweep(SHAPE, SETUP, over)
    assert (points[0].value, points[-1].value) == values
    here = next(point for point in points if point.value == getattr(SETUP, over))
    assert here.reserved == estimate_memory(SHAPE, SETUP).reserved_gib
    sizes = [point.active for point in points]
    assert sizes == sorted(sizes, reverse=over == "ranks")


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(InputError, match="'vocab'"):
        sweep(SHAPE, SETUP, "vocab")
    with pytest.raises(InputError, match="pp 2"):
        moments_of_step(SHAPE, make_setup(ranks=8, pp=2, seq_len=4096))
