"""A run's events, thinned without losing the ends."""

from contracts.event import Event
from engines.reporting.series import MAX_POINTS, TrainingSeries


def steps(first: int, last: int, attempt: int = 1, offset: float = 0.0) -> list[Event]:
    return [
        Event(kind="step", time=0.0, attempt=attempt, step=step, loss=1000.0 / step + offset, tokens_per_s=float(step))
        for step in range(first, last + 1)
    ]


def test_a_short_run_is_kept_whole() -> None:
    series = TrainingSeries()
    series.add(steps(1, 5))
    assert series.loss == {1: 1000.0, 2: 500.0, 3: 1000 / 3, 4: 250.0, 5: 200.0}
    assert (series.loss_first, series.loss_last) == (1000.0, 200.0)
    assert series.tokens_per_s == 3.0


def test_memory_is_bounded_and_the_ends_are_exact() -> None:
    series = TrainingSeries()
    for start in range(1, 50_001, 1000):
        series.add(steps(start, start + 999))
        assert len(series.loss) <= MAX_POINTS
    assert len(series.loss) > MAX_POINTS // 4
    assert (series.loss_first, series.loss_last) == (1000.0, 1000.0 / 50_000)
    assert all(series.loss[step] == 1000.0 / step for step in series.loss)
    speed = series.tokens_per_s
    assert speed is not None
    assert 24_000 < speed < 26_000  # the median of 1 to 50 000


def test_the_later_attempt_counts_for_a_step_that_was_done_twice() -> None:
    series = TrainingSeries()
    series.add(steps(1, 6))
    series.add(steps(5, 8, attempt=2, offset=1.0))
    assert series.loss[4] == 250.0
    assert series.loss[6] == 1000 / 6 + 1.0
    assert series.attempts == {1, 2}


def test_events_without_numbers_are_passed_over() -> None:
    series = TrainingSeries()
    series.add([Event(kind="boot", time=1.0), Event(kind="step", time=2.0, step=1), Event(kind="weather", time=3.0)])
    assert series.loss == {}
    assert series.loss_first is None
    assert series.tokens_per_s is None


def test_checkpoints_and_evaluations() -> None:
    series = TrainingSeries()
    series.add(Event(kind="checkpoint", time=0.0, step=10 * number) for number in range(1, 21))
    series.add([Event(kind="eval", time=0.0, step=50, loss=2.5)])
    assert series.checkpoints == [130, 140, 150, 160, 170, 180, 190, 200]
    assert series.eval_loss == {50: 2.5}
