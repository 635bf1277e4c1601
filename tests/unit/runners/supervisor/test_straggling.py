"""Stragglers from what ranks say of their own time; every expected number is worked out by hand."""

import json
from pathlib import Path

import pytest

from runners.rundir import RunDir
from runners.supervisor.heartbeats import Beat, Spent, read_heartbeats
from runners.supervisor.recorder import Recorder
from runners.supervisor.straggling import Bounds, Stragglers, slow_ranks

BEGIN = Spent(0, 0.0, 0.0)


def _window(*spent: Spent) -> tuple[dict[int, Spent], dict[int, Spent]]:
    return dict.fromkeys(range(len(spent)), BEGIN), dict(enumerate(spent))


def test_a_rank_that_computes_twice_as_long_is_named() -> None:
    # 100 steps in 100 s; forward 0.1 s a step, of rank 2 0.2 s: with the backward 0.3 s against 0.6 s
    usual = Spent(100, 1.0, 10.0)
    [slow] = slow_ranks(*_window(usual, usual, Spent(100, 1.0, 20.0), usual), 100.0, Bounds())
    assert slow.rank == 2
    assert not slow.data
    assert (slow.excess_s, slow.usual_s, slow.step_s) == pytest.approx((0.3, 0.31, 1.0))
    assert "rank 2 holds the others up: 610 ms" in slow.words
    assert "slow at computing, about 30% of each step (1000 ms)" in slow.words


def test_a_rank_that_waits_for_its_data_is_told_from_one_that_computes() -> None:
    [slow] = slow_ranks(*_window(Spent(100, 1.0, 10.0), Spent(100, 40.0, 10.5)), 100.0, Bounds())
    assert (slow.rank, slow.data) == (1, True)
    assert "preparing its batches" in slow.words


def test_what_costs_little_or_differs_little_is_not_worth_a_word() -> None:
    usual = Spent(100, 1.0, 10.0)
    assert slow_ranks(*_window(usual, Spent(100, 1.2, 12.0)), 100.0, Bounds()) == []  # 0.37 s, not 1.3 x 0.31 s
    # ten times the usual, but 0.03 s of a step of 1 s
    assert slow_ranks(*_window(Spent(100, 0.1, 0.1), Spent(100, 1.0, 1.0)), 100.0, Bounds()) == []


def test_ranks_are_compared_by_their_own_steps() -> None:
    # a heartbeat behind: 99 steps of the same pace
    assert slow_ranks(*_window(Spent(100, 1.0, 10.0), Spent(99, 0.99, 9.9)), 100.0, Bounds()) == []


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path)


def _entries(run: RunDir) -> list[dict]:
    return [json.loads(line) for line in run.journal.read_text().splitlines()] if run.journal.exists() else []


def _play(stragglers: Stragglers, clock: Clock, forward_of_rank_1_s: list[float]) -> None:
    """Windows of 10 s with 20 steps each; rank 0 takes 0.1 s for each forward."""
    sums = {0: 0.0, 1: 0.0}
    for window, forward_s in enumerate(forward_of_rank_1_s):
        sums = {0: sums[0] + 20 * 0.1, 1: sums[1] + 20 * forward_s}
        clock.now += 10
        spent = {rank: Spent(20 * (window + 1), 0.0, total) for rank, total in sums.items()}
        stragglers.look({rank: Beat(clock.now, 0, "step", each) for rank, each in spent.items()})


def test_only_what_lasts_is_noticed_and_once(run: RunDir) -> None:
    clock = Clock()
    # the first look begins the first window
    _play(Stragglers(1, Recorder(run), clock=clock), clock, [0.1, 0.3, 0.3, 0.1, 0.3, 0.3])
    assert _entries(run) == []
    _play(Stragglers(1, Recorder(run), clock=clock), clock, [0.1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.1, 0.3, 0.3, 0.3])
    assert [(entry["kind"], entry["rank"]) for entry in _entries(run)] == [("straggler", 1)] * 2
    assert "rank 1 holds the others up: 900 ms" in _entries(run)[0]["message"]


def test_a_window_needs_its_seconds_and_its_steps(run: RunDir) -> None:
    clock = Clock()
    stragglers = Stragglers(1, Recorder(run), Bounds(windows=1), clock)

    def look(steps: int, at_s: float) -> None:
        clock.now = at_s
        beats = {
            0: Beat(0.0, 0, "step", Spent(steps, 0.0, 1.0 * steps)),
            1: Beat(0.0, 0, "step", Spent(steps, 0.0, 4.0 * steps)),
        }
        stragglers.look(beats)

    look(0, 0.0)
    look(19, 100.0)
    look(20, 9.0)
    assert _entries(run) == []
    look(20, 100.0)
    assert len(_entries(run)) == 1


def test_one_rank_and_ranks_that_do_not_say_are_never_compared(run: RunDir) -> None:
    stragglers = Stragglers(1, Recorder(run))
    stragglers.look({0: Beat(0.0, 0, "step", Spent(5, 1.0, 1.0))})
    stragglers.look({0: Beat(0.0, 0, "step"), 1: Beat(0.0, 0, "step")})
    assert _entries(run) == []


@pytest.mark.parametrize(
    "spent", [7, {"steps": 1}, {"steps": 1, "host_s": "x", "forward_s": 1}, {"steps": -1, "host_s": 0, "forward_s": 0}]
)
def test_a_heartbeat_with_odd_numbers_is_a_heartbeat_without_them(tmp_path: Path, spent: object) -> None:
    (tmp_path / "0.json").write_text(json.dumps({"time": 1.0, "step": 2, "phase": "step", "spent": spent}))
    assert read_heartbeats(tmp_path) == {0: Beat(1.0, 2, "step", None)}
    (tmp_path / "0.json").write_text(
        '{"time": 1.0, "step": 2, "phase": "step", "spent": {"steps": 1, "host_s": 1e999, "forward_s": 1}}'
    )
    assert read_heartbeats(tmp_path)[0].spent is None
