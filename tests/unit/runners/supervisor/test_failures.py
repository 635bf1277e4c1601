"""How a start failed, read from files like those that a job leaves."""

import json
from pathlib import Path

import pytest

from runners.outcome import Outcome
from runners.rundir import RunDir
from runners.supervisor.failures import evidence_of, failed_starts, failure_of, history_of
from runners.supervisor.policy import Failure

SUMMARY = (
    "Root Cause (first observed failure):\n[0]:\n  rank      : {rank} (local_rank: {rank})\n  exitcode  : {code}\n"
)
FAILED = Outcome("failed", 1, "whatever")


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    for number in (1, 2):
        RunDir(tmp_path).attempt(number).path.mkdir(parents=True)
    return RunDir(tmp_path)


def _failure(run: RunDir, number: int = 1, exit_code: int | None = 1, lasted_s: float = 1.0) -> Failure:
    outcome = FAILED._replace(exit_code=exit_code)
    return failure_of(run, number, outcome, hung=False, lasted_s=lasted_s)


def _says(run: RunDir, number: int, rank: int, words: str, code: int = 1) -> None:
    attempt = run.attempt(number)
    attempt.launcher_log.write_text(SUMMARY.format(rank=rank, code=code))
    log = attempt.rank_logs / "none_x" / "attempt_0" / str(rank)
    log.mkdir(parents=True)
    (log / "stderr.log").write_text(words + "\n")


def test_numbers_addresses_and_the_rank_make_no_difference(run: RunDir) -> None:
    _says(run, 1, 0, "RuntimeError: <Tensor at 0x7f00aa> has 17 elements")
    _says(run, 2, 3, "RuntimeError: <Tensor at 0x7e11bb> has 4 elements")
    assert _failure(run, 1) == _failure(run, 2)


def test_the_exit_status_does(run: RunDir) -> None:
    _says(run, 1, 0, "", code=7)
    _says(run, 2, 0, "", code=8)
    assert _failure(run, 1).error != _failure(run, 2).error


def test_out_of_memory_is_one_error_however_it_is_worded(run: RunDir) -> None:
    _says(run, 1, 0, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total")
    _says(run, 2, 1, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. 3 MiB is free")
    assert _failure(run, 1) == _failure(run, 2)
    assert _failure(run, 1).hopeless == ""  # once it may be fragmentation


@pytest.mark.parametrize(
    ("log", "exit_code", "words"),
    [
        (SUMMARY.format(rank=1, code=2), 1, "exited with 2"),
        ("job.py: error: unrecognized arguments: --epochs\n", 2, "exited with 2"),
        ("", 127, "could not be started"),
        ("SignalException: Process 12 got signal: 15\n", 1, "asked it to end"),
        ("", -15, "asked it to end"),
        ("SyntaxError: invalid syntax\n", 1, "SyntaxError"),
        ("", -9, ""),
        ("RuntimeError: NCCL communicator was aborted\n", 1, ""),
        ("RuntimeError: exited with 2\n", 1, ""),
    ],
)
def test_which_failures_are_hopeless(run: RunDir, log: str, exit_code: int, words: str) -> None:
    run.attempt(1).launcher_log.write_text(log)
    hopeless = _failure(run, 1, exit_code).hopeless
    assert words in hopeless if words else not hopeless


def test_a_job_that_saved_because_it_was_told_to_end_is_left_alone(run: RunDir) -> None:
    run.result.write_text(json.dumps({"status": "stopped", "steps": 4}))
    assert "told to end" in _failure(run).hopeless
    assert failure_of(run, 1, FAILED, hung=True, lasted_s=1.0).hopeless == ""


def test_the_place_is_the_furthest_heartbeat_else_the_last_event_of_this_start(run: RunDir) -> None:
    assert _failure(run).place == "before any step"
    assert _failure(run, lasted_s=3600.0).place is None
    lines = [{"kind": "step", "attempt": 1, "step": 9}, {"kind": "step", "attempt": 2, "step": 4}, {"kind": "eval"}]
    run.events.write_text("".join(json.dumps(line) + "\n" for line in lines) + "torn")
    assert (_failure(run, 1).place, _failure(run, 2).place) == ("step 9", "step 4")
    run.heartbeats.mkdir()
    for rank, step in ((0, 11), (1, 12)):
        (run.heartbeats / f"{rank}.json").write_text(json.dumps({"time": 1.0, "step": step, "phase": "step"}))
    assert _failure(run, 1).place == "step 12"


def test_a_new_request_begins_a_new_budget_and_an_adopter_does_not() -> None:
    entries = [
        {"kind": "supervisor", "attempt": 1},
        {"kind": "attempt", "attempt": 1, "time": 10.0},
        {"kind": "restart", "attempt": 2},
        {"kind": "end", "attempt": 1, "error": "one", "place": "step 1"},
        {"kind": "attempt", "attempt": 2, "time": 20.0},
        {"kind": "supervisor", "attempt": 2},
        {"kind": "restart", "attempt": 3},
        {"kind": "end", "attempt": 2, "error": "two", "place": None},
    ]
    adopted = history_of(entries)
    assert (adopted.first, adopted.began_at, adopted.restarts) == (1, 10.0, 2)
    assert adopted.failures == (Failure("one", "step 1", attempt=1), Failure("two", None, attempt=2))
    asked = history_of([*entries, {"kind": "supervisor", "attempt": 3}])
    assert (asked.first, asked.began_at, asked.restarts, asked.failures) == (3, None, 0, ())


def test_the_evidence_is_that_of_the_rank_that_failed_first(run: RunDir) -> None:
    _says(run, 1, 3, "RuntimeError: boom")
    attempt = run.attempt(1)
    attempt.exit.write_text('{"exit_code": 1}')
    other = attempt.rank_logs / "none_x" / "attempt_0" / "0"
    other.mkdir(parents=True)
    (other / "stderr.log").write_text("I was told to end\n")
    (attempt.rank_logs / "none_x" / "attempt_0" / "3" / "error.json").write_text("{}")
    attempt.diagnosis.mkdir()
    (attempt.diagnosis / "stack-3.txt").write_text("")
    (attempt.diagnosis / "sockets.txt").write_text("one")
    assert evidence_of(run, 1) == [
        "attempts/0001/log/none_x/attempt_0/3/error.json",
        "attempts/0001/log/none_x/attempt_0/3/stderr.log",
        "attempts/0001/diag/sockets.txt",
        "attempts/0001/torchrun.log",
    ]


def test_where_no_rank_is_named_every_log_is_evidence(run: RunDir) -> None:
    log = run.attempt(2).rank_logs / "none_x" / "attempt_0" / "1"
    log.mkdir(parents=True)
    (log / "stdout.log").write_text("hello")
    assert evidence_of(run, 2) == ["attempts/0002/log/none_x/attempt_0/1/stdout.log"]
    assert evidence_of(run, 1) == []


def test_failed_starts_are_told_with_their_numbers() -> None:
    history = history_of([{"kind": "attempt", "attempt": 4}, {"kind": "end", "attempt": 4, "error": "x", "place": "p"}])
    assert failed_starts(history, 5, Failure("y", None)) == [
        {"attempt": 4, "error": "x", "place": "p"},
        {"attempt": 5, "error": "y", "place": None},
    ]
