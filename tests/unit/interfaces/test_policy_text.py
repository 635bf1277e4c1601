"""Durations, policies and limits as a person reads them."""

import pytest

from contracts.launch import RestartPolicy, WatchLimits
from interfaces.cli.policy_text import duration, restart_text, watch_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.25, "0.25 s"), (59, "59 s"), (60, "1 min"), (90, "90 s"), (3600, "1 h"), (5400, "90 min"),
     (86400, "1 d"), (604800, "7 d"), (12345, "12345 s")],
)  # fmt: skip
def test_a_duration_is_told_in_the_largest_unit_that_divides_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_no_restarts_are_told_in_one_word() -> None:
    assert restart_text(RestartPolicy()) == "never by itself"


def test_a_policy_without_a_limit_of_time_names_none() -> None:
    assert "within" not in restart_text(RestartPolicy(max_restarts=3))


def test_silent_logs_are_named_where_they_count() -> None:
    assert "silent logs" not in watch_text(WatchLimits())
    assert watch_text(WatchLimits(log_s=1200.0)).endswith("; without heartbeats 20 min of silent logs")
