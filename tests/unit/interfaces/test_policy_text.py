"""Durations, policies and limits as a person reads them."""

import pytest

from contracts.launch import LaunchResources, ResourceLimits, RestartPolicy, WatchLimits
from interfaces.cli.policy_text import duration, limits_text, restart_text, taken_text, watch_text


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


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ranks_per_node": 1, "device": "cpu"}, "1 core"),
        ({"ranks_per_node": 2, "device": "cuda"}, "2 cores and 2 GPUs"),
        ({"ranks_per_node": 1, "device": "cuda", "cores_per_node": 8, "gpus_per_node": 4}, "8 cores and 4 GPUs"),
    ],
)
def test_what_others_have_to_wait_for(fields: dict[str, object], text: str) -> None:
    assert taken_text(LaunchResources.model_validate({"nodes": 1} | fields)) == text


def test_only_what_is_limited_is_told() -> None:
    assert limits_text(ResourceLimits()) == ""
    assert limits_text(ResourceLimits(memory_gib=64, processes=9)) == "memory of a process 64 GiB, 9 processes"
