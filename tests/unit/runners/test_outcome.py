"""How a start ended. The logs are torchrun's own (torch 2.13), shortened."""

import json
from pathlib import Path

import pytest

from runners.outcome import exit_code_of, outcome_of
from runners.rundir import RunDir

SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
job.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-01-01_07:28:01
  host      : localhost
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 10810)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 10810
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_07:28:01
  host      : localhost
  rank      : {rank} (local_rank: {rank})
  exitcode  : {code} (pid: 10811)
  error_file: <N/A>
  traceback : ...
============================================================
"""


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    folder = RunDir(tmp_path)
    (folder.attempt(1).path).mkdir(parents=True)
    return folder


def _ended(run: RunDir, exit_code: int | None, log: str = "", kind: str = "script", stopping: bool = False) -> tuple:
    run.attempt(1).launcher_log.write_text(log)
    return tuple(outcome_of(run, run.attempt(1), kind, exit_code, stopping=stopping))


def _result(run: RunDir, **result: object) -> None:
    run.result.write_text(json.dumps(result))


@pytest.mark.parametrize(
    ("code", "words"),
    [(-9, "killed by SIGKILL"), (-11, "killed by SIGSEGV"), (7, "exited with 7"), (-200, "killed by signal 200")],
)
def test_the_rank_that_failed_first_is_named(run: RunDir, code: int, words: str) -> None:
    log = SUMMARY.format(rank=13, code=code)
    assert _ended(run, 1, log) == ("failed", 1, f"rank 13 {words}")


def test_what_the_rank_said_last_is_quoted(run: RunDir) -> None:
    logs = run.attempt(1).rank_logs / "none_x" / "attempt_0" / "1"
    logs.mkdir(parents=True)
    (logs / "stderr.log").write_text(
        "[rank1]: Traceback (most recent call last):\n[rank1]:   File ...\n"
        "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.\nclosing \x1b[2Jdown\n"
    )
    reason = _ended(run, 1, SUMMARY.format(rank=1, code=1))[2]
    assert reason == ("rank 1 exited with 1: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.")


def test_the_last_summary_counts(run: RunDir) -> None:
    log = SUMMARY.format(rank=0, code=3) + SUMMARY.format(rank=1, code=4)
    assert _ended(run, 1, log)[2] == "rank 1 exited with 4"


def test_a_launcher_without_ranks(run: RunDir) -> None:
    log = "usage: run.py ...\nrun.py: error: unrecognized arguments: --bad\n\n"
    assert _ended(run, 2, log) == (
        "failed",
        2,
        "the launcher exited with 2: run.py: error: unrecognized arguments: --bad",
    )
    assert _ended(run, -9)[2] == "the launcher killed by SIGKILL"


def test_a_launcher_that_was_stopped(run: RunDir) -> None:
    log = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4242 got signal: 15\n"
    assert _ended(run, 1, log)[2] == "the launcher was stopped by SIGTERM"


def test_success_needs_a_result_where_the_job_is_ours(run: RunDir) -> None:
    assert _ended(run, 0) == ("done", 0, "")
    assert _ended(run, 0, kind="train")[:2] == ("failed", 0)
    _result(run, status="done", steps=3)
    assert _ended(run, 0, kind="train") == ("done", 0, "")


def test_work_that_is_done_stays_done(run: RunDir) -> None:
    _result(run, status="done", steps=3)
    assert _ended(run, None) == ("done", None, "")
    assert _ended(run, 1, stopping=True)[0] == "done"
    assert _ended(run, -6)[2] == "finished; the launcher then killed by SIGABRT"


def test_a_stop_that_was_asked_for(run: RunDir) -> None:
    assert _ended(run, -9, stopping=True) == ("cancelled", -9, "cancelled: the job killed by SIGKILL")
    _result(run, status="stopped", steps=12)
    assert _ended(run, 0, stopping=True) == ("cancelled", 0, "cancelled: the job saved and stopped at step 12")


def test_a_stop_that_nobody_here_asked_for(run: RunDir) -> None:
    _result(run, status="stopped", steps=12)
    state, _, reason = _ended(run, 1)
    assert state == "failed"
    assert "step 12" in reason


def test_an_end_that_nobody_saw(run: RunDir) -> None:
    assert _ended(run, None)[0] == "lost"


@pytest.mark.parametrize("content", ["", "{", "[1]", '"done"', '{"status": 3}', "\x00" * 100, "[" * 5000])
def test_a_result_that_is_none(run: RunDir, content: str) -> None:
    run.result.write_text(content)
    assert _ended(run, 3)[:2] == ("failed", 3)


def test_a_hostile_log_is_cut_and_cleaned(run: RunDir) -> None:
    reason = _ended(run, 3, "x" * 3_000_000 + "\x1b[31m\nValueError: " + "y" * 100_000)[2]
    assert len(reason) < 600
    assert "\x1b" not in reason


@pytest.mark.parametrize(("content", "code"), [('{"exit_code": -9}', -9), ('{"exit_code": "0"}', None), ("", None)])
def test_the_exit_status(run: RunDir, content: str, code: int | None) -> None:
    run.attempt(1).exit.write_text(content)
    assert exit_code_of(run.attempt(1)) == code


def test_trials_that_were_stopped_tell_after_how_many(run: RunDir) -> None:
    _result(run, status="stopped", steps=2)
    assert _ended(run, 0, kind="trials", stopping=True)[2] == "cancelled: the job stopped after trial 2"
    assert "was done with trial 2; a resume goes on" in _ended(run, 0, kind="trials")[2]
