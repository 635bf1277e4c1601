"""Checkpoint intervals against Daly's published figures, a simulation and arithmetic by hand."""

import random

import pytest

from engines.sizing.scale.interval import daly_s, slowdown, useful_share, young_s

MINUTE, HOUR = 60.0, 3600.0


@pytest.mark.parametrize(("mtbf_s", "minutes"), [(24 * HOUR, 117), (6 * HOUR, 57), (15 * MINUTE, 9.1)])
def test_dalys_own_examples(mtbf_s, minutes):
    """Captions of figures 3 to 5 of Daly 2006: five minutes to save, and the interval that his model predicts."""
    assert daly_s(5 * MINUTE, mtbf_s) / MINUTE == pytest.approx(minutes, rel=0.006)


def test_young_by_hand():
    # sqrt(2 x 5 min x 1440 min) = sqrt(14400) = 120 min
    assert young_s(5 * MINUTE, 24 * HOUR) == pytest.approx(120 * MINUTE)
    # Daly: 120 (1 + 1/3 x 0.041667 + 1/9 x 0.0017361) - 5 = 116.690 min
    assert daly_s(5 * MINUTE, 24 * HOUR) == pytest.approx(116.690 * MINUTE, rel=1e-5)


def test_a_save_that_takes_longer_than_two_failures_leaves_the_time_between_them():
    assert daly_s(20.0, 10.0) == 10.0
    assert daly_s(1000.0, 10.0) == 10.0


@pytest.mark.parametrize("mtbf_s", [24 * HOUR, 6 * HOUR, HOUR])
def test_no_other_interval_is_better(mtbf_s):
    best = slowdown(daly_s(300, mtbf_s), 300, mtbf_s, 600)
    tried = [slowdown(60.0 * minutes, 300, mtbf_s, 600) for minutes in range(5, 400)]
    assert best <= min(tried) * 1.0005


@pytest.mark.parametrize(
    ("interval_s", "save_s", "mtbf_s", "restart_s"), [(3400, 300, 21600, 600), (600, 60, 2000, 120)]
)
def test_the_expected_wall_time_is_that_of_a_simulated_job(interval_s, save_s, mtbf_s, restart_s):
    dice, segments, clock = random.Random(7), 20_000, 0.0
    fails_at = dice.expovariate(1 / mtbf_s)
    done = 0
    while done < segments:
        if fails_at >= clock + interval_s + save_s:
            clock += interval_s + save_s
            done += 1
            continue
        clock = fails_at
        fails_at = clock + dice.expovariate(1 / mtbf_s)
        while fails_at < clock + restart_s:  # it may fail again before it is up
            clock = fails_at
            fails_at = clock + dice.expovariate(1 / mtbf_s)
        clock += restart_s
    assert clock / (segments * interval_s) == pytest.approx(slowdown(interval_s, save_s, mtbf_s, restart_s), rel=0.02)


def test_a_job_that_never_gets_through_a_segment_makes_no_progress():
    assert useful_share(1e6, 10.0, 1.0, 10.0) == 0.0
    assert useful_share(100.0, 1.0, 1e12, 60.0) == pytest.approx(100 / 101)
