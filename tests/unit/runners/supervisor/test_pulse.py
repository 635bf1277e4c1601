"""Limits of silence, on a clock that the test turns."""

import json
from pathlib import Path

import pytest

from runners.rundir import RunDir
from runners.supervisor.heartbeats import read_heartbeats
from runners.supervisor.pulse import Hang, Pulse

LIMITS = {"boot_s": 100.0, "step_s": 20.0, "checkpoint_s": 50.0, "eval_s": 40.0, "factor": 3.0, "log_s": None}


class Job:
    """A run folder, its pulse, and the time."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
        self.now, self.run = 1000.0, RunDir(folder)
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        self.run.heartbeats.mkdir()
        self.run.attempt(1).path.mkdir(parents=True)
        resources = {"nodes": 1, "ranks_per_node": 2}
        self.pulse = Pulse(self.run, 1, {"kind": "train", "resources": resources, "watch": LIMITS} | changes)

    def beat(self, rank: int, step: int, phase: str = "step") -> None:
        body = {"time": self.now, "step": step, "phase": phase}
        (self.run.heartbeats / f"{rank}.json").write_text(json.dumps(body))

    def after(self, seconds: int) -> Hang | None:
        """Look once each second; return the first hang, at its second."""
        for _ in range(seconds):
            self.now += 1.0
            if hang := self.pulse.look():
                return hang
        return None


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    return Job(tmp_path, monkeypatch)


def _both_step(job: Job, first: int, last: int, each_s: int) -> None:
    for step in range(first, last + 1):
        for rank in (0, 1):
            job.beat(rank, step)
        assert job.after(each_s) is None


def test_a_rank_that_never_wrote_is_in_boot(job: Job) -> None:
    job.beat(0, 0, "boot")
    job.after(90)
    job.beat(0, 1)
    hang = job.after(60)
    assert hang is not None
    assert (hang.rank, hang.phase, hang.step, hang.limit_s) == (1, "boot", None, 100.0)
    assert hang.silent_s == pytest.approx(101)


def test_what_is_overdue_is_the_oldest(job: Job) -> None:
    _both_step(job, 1, 4, each_s=2)
    job.beat(0, 5)
    hang = job.after(40)
    assert hang == Hang(1, "step", 4, pytest.approx(21, abs=1.1), 20.0)


def test_the_limit_is_a_multiple_of_the_longest_seen_and_no_less_than_the_floor(job: Job) -> None:
    _both_step(job, 1, 3, each_s=10)
    # steps of 10 s: 3 x 10 = 30 s, above the floor of 20 s
    hang = job.after(60)
    assert hang is not None
    assert hang.limit_s == pytest.approx(30, abs=1.1)


@pytest.mark.parametrize(("phase", "limit_s"), [("checkpoint", 50.0), ("export", 50.0), ("eval", 40.0), ("odd", 100.0)])
def test_each_phase_has_its_limit(job: Job, phase: str, limit_s: float) -> None:
    for step in (1, 2):
        _both_step(job, step, step, each_s=2)
        for rank in (0, 1):
            job.beat(rank, step, phase)
        assert job.after(3) is None
    hang = job.after(150)
    assert hang is not None
    assert (hang.phase, hang.limit_s) == (phase, limit_s)


def test_a_phase_that_was_not_seen_yet_has_the_boot_limit(job: Job) -> None:
    _both_step(job, 1, 1, each_s=1)
    assert job.after(90) is None
    assert job.after(20) is not None


def test_a_supervisor_that_was_stopped_itself_blames_nobody(job: Job) -> None:
    _both_step(job, 1, 3, each_s=2)
    job.now += 3600
    assert job.after(5) is None


def test_a_launch_without_limits_is_not_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Job(tmp_path, monkeypatch, watch=None).after(500) is None


def test_a_script_that_beats_is_watched_and_one_that_does_not_only_by_its_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(tmp_path, monkeypatch, kind="script", watch=LIMITS | {"log_s": 30.0})
    job.run.attempt(1).launcher_log.write_text("a line\n")
    assert job.after(25) is None
    rank_log = job.run.attempt(1).rank_logs / "none_x" / "attempt_0" / "0"
    rank_log.mkdir(parents=True)
    (rank_log / "stdout.log").write_text("another\n")
    assert job.after(25) is None
    hang = job.after(10)
    assert hang is not None
    assert (hang.rank, hang.phase) == (None, "log")
    job.beat(0, 1)
    assert job.after(90) is None
    hang = job.after(20)
    assert hang is not None
    assert hang.rank == 0


def test_heartbeats_of_a_hostile_job_are_read_within_bounds(tmp_path: Path) -> None:
    good = {"time": 5.0, "step": 3, "phase": "st\x1b[31mep\n" + "x" * 100}
    (tmp_path / "3.json").write_text(json.dumps(good))
    (tmp_path / "1.json").write_text('{"time": "late", "step": [], "phase": 4}')
    (tmp_path / "2.json").write_text("{" * 10_000)
    (tmp_path / ".4.json").write_text(json.dumps(good))
    (tmp_path / "\u00b2.json").write_text(json.dumps(good))
    beats = read_heartbeats(tmp_path)
    assert sorted(beats) == [1, 3]
    assert (beats[1].time, beats[1].step, beats[1].phase) == (0.0, None, "step")
    assert "\x1b" not in beats[3].phase
    assert len(beats[3].phase) < 60
    assert read_heartbeats(tmp_path / "none") == {}
