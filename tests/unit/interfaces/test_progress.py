"""Progress: arithmetic done by hand."""

import pytest

from contracts.event import Event
from interfaces.progress import Progress, clock, sparkline


def step(number: int, time: float, loss: float = 1.0, attempt: int = 1) -> Event:
    return Event(kind="step", time=time, step=number, loss=loss, attempt=attempt)


def test_time_left_is_the_median_pace_times_the_steps_that_remain() -> None:
    progress = Progress(steps=10)
    for number, time in ((1, 100.0), (2, 102.0), (3, 104.0), (4, 150.0)):
        progress.add(step(number, time))
    # paces 2, 2 and 46 seconds: the median is 2, six steps remain
    assert progress.seconds_left() == pytest.approx(12.0)


def test_time_left_is_unknown_before_the_second_step_and_without_a_total() -> None:
    progress = Progress(steps=10)
    progress.add(step(1, 100.0))
    assert progress.seconds_left() is None
    progress = Progress()
    progress.add(step(1, 100.0))
    progress.add(step(2, 101.0))
    assert progress.seconds_left() is None


def test_steps_between_logged_ones_count_in_the_pace() -> None:
    progress = Progress(steps=100)
    progress.add(step(10, 0.0))
    progress.add(step(20, 30.0))
    assert progress.seconds_left() == pytest.approx(80 * 3.0)


def test_a_resume_replaces_the_steps_since_the_checkpoint() -> None:
    progress = Progress(steps=6)
    for number in range(1, 5):
        progress.add(step(number, float(number), loss=float(number)))
    progress.add(step(3, 1000.0, loss=30.0, attempt=2))
    progress.add(step(4, 1001.0, loss=40.0, attempt=2))
    assert progress.losses == [1.0, 2.0, 30.0, 40.0]
    assert progress.restarts == 1
    # the pause between the attempts is no pace: one second a step, two steps remain
    assert progress.seconds_left() == pytest.approx(2.0)


def test_the_latest_of_everything_is_kept() -> None:
    progress = Progress()
    progress.add(Event(kind="step", time=1.0, step=7, loss=2.5, grad_norm=0.5, tokens_per_s=10.0, memory_gib=1.5))
    progress.add(Event(kind="checkpoint", time=2.0, step=7))
    progress.add(Event(kind="eval", time=3.0, step=7, loss=2.0))
    progress.add(Event(kind="what-is-this", time=4.0, step=99))
    assert (progress.step, progress.loss, progress.eval_loss, progress.checkpoint_step) == (7, 2.5, 2.0, 7)
    assert (progress.grad_norm, progress.tokens_per_s, progress.memory_gib) == (0.5, 10.0, 1.5)


def test_the_window_of_losses_is_bounded() -> None:
    progress = Progress()
    for number in range(1, 5001):
        progress.add(step(number, float(number)))
    assert len(progress.losses) == 2000


def test_sparkline() -> None:
    assert sparkline([], 10) == ""
    assert sparkline([3.0, 3.0], 10) == "▁▁"
    assert sparkline([0.0, 7.0], 10) == "▁█"
    assert sparkline([float(v) for v in range(8)], 8) == "▁▂▃▄▅▆▇█"
    # columns are means of neighbours: (0+0), (7+7)
    assert sparkline([0.0, 0.0, 7.0, 7.0], 2) == "▁█"


def test_clock() -> None:
    assert [clock(s) for s in (0, 61, 3599.6, 3661)] == ["0:00", "1:01", "1:00:00", "1:01:01"]
