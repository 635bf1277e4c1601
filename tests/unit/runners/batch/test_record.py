"""Where a run stands, by its journal and what Slurm says of its newest job."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from contracts.run import RunRecord
from runners.batch.jobs import Job, Seen
from runners.batch.record import asked_of_slurm, read_batch_record
from runners.batch.submissions import CONTINUATION, FIRST, intend, record_job
from runners.journal import Journal
from runners.rundir import RunDir
from runners.stopfile import StopOrder, ask_to_stop

SUBMISSION = {"key": "k", "launch_hash": "0" * 64, "kind": "script", "marker": "r-0123456789ab.0", "steps": 10}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    folder = tmp_path / "r-0123456789ab"
    (folder / "cmd").mkdir(parents=True)
    monkeypatch.setenv("PATH", "/nowhere")  # what Slurm says is given; no other may be asked
    return RunDir(folder)


def read(run: RunDir, *jobs: Job, silent: str = "", age_s: float = 1.0) -> RunRecord:
    submission: dict[str, Any] = SUBMISSION | {"created_at": time.time() - age_s}
    return read_batch_record(run, submission, Seen({job.job_id: job for job in jobs}, silent))


def submitted(run: RunDir, number: int = 1, job_id: int = 5) -> None:
    record_job(intend(run, number, FIRST if number == 1 else CONTINUATION), job_id)


def begun(run: RunDir, attempt: int = 1, submission: int = 1) -> Journal:
    journal = Journal(run.journal)
    journal.append("supervisor", attempt=attempt, submission=submission, job_id=5, process=None)
    journal.append("attempt", attempt=attempt)
    journal.append("started", attempt=attempt, process={"pid": 1, "started": 1, "boot": "of another machine"})
    run.attempt(attempt).path.mkdir(parents=True)
    run.attempt(attempt).launcher.write_text(json.dumps({}))
    return journal


def test_before_anybody_handed_it_over(run: RunDir) -> None:
    assert read(run).state == "submitted"
    assert (read(run, age_s=120.0).state, read(run, age_s=120.0).reason) == (
        "lost",
        "it was submitted, but nobody handed it to Slurm",
    )
    intend(run, 1, FIRST)
    assert "reconcile" in read(run, age_s=120.0).reason
    assert read(run, age_s=120.0).state == "submitted"


def test_in_the_queue_and_at_work(run: RunDir) -> None:
    submitted(run)
    assert asked_of_slurm(run) == 5
    waiting = read(run, Job(5, "PENDING", "Priority"))
    assert (waiting.state, waiting.attempt) == ("queued", 0)
    assert "Priority (others come first)" in waiting.reason
    assert read(run, Job(5, "CONFIGURING", nodes="n[1-2]")).state == "starting"
    begun(run)
    assert (read(run, Job(5, "RUNNING")).state, read(run, Job(5, "RUNNING")).attempt) == ("running", 1)
    ask_to_stop(run, StopOrder(None))
    assert read(run, Job(5, "RUNNING")).state == "stopping"


def test_a_silent_slurm_ends_nothing(run: RunDir) -> None:
    submitted(run)
    assert read(run, silent="connect failure").state == "queued"
    begun(run)
    record = read(run, silent="connect failure")
    assert record.state == "running"
    assert "Slurm does not answer (connect failure)" in record.reason


def test_an_end_in_the_journal_is_final_and_slurm_is_not_asked(run: RunDir) -> None:
    submitted(run)
    journal = begun(run)
    journal.append("end", attempt=1, state="done", exit_code=0, reason="")
    assert asked_of_slurm(run) is None
    assert (read(run).state, read(run).exit_code) == ("done", 0)


def test_an_end_that_is_followed_by_another_start_is_none(run: RunDir) -> None:
    submitted(run)
    journal = begun(run)
    journal.append("restart", attempt=2, reason="preempted")
    journal.append("end", attempt=1, state="failed", exit_code=0, reason="preempted")
    assert asked_of_slurm(run) == 5
    assert read(run, Job(5, "PENDING", "BeginTime")).state == "queued"


def test_a_further_job_takes_over(run: RunDir) -> None:
    submitted(run)
    begun(run).append("end", attempt=1, state="failed", exit_code=0, reason="the time limit is near")
    submitted(run, 2, 6)
    assert asked_of_slurm(run) == 6
    assert read(run, Job(6, "PENDING", "Dependency")).state == "queued"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("TIMEOUT", "TIMEOUT (it met its time limit before it had saved)"),
        ("NODE_FAIL", "NODE_FAIL (a node failed, and Slurm did not start it again)"),
        ("OUT_OF_MEMORY", "it took more host memory than the job has (--mem)"),
    ],
)
def test_an_end_that_only_slurm_knows_is_told_and_kept(
    run: RunDir, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(run)
    begun(run)
    monkeypatch.setattr("runners.batch.record.details", lambda number: None)  # it has forgotten the details
    first = read(run, Job(5, state))
    assert first.state == "failed"
    assert words in first.reason
    assert asked_of_slurm(run) is None
    again = read(run, age_s=9.0)
    assert (again.state, again.reason, again.ended_at) == (first.state, first.reason, first.ended_at)


def test_a_job_that_nobody_knows(run: RunDir) -> None:
    submitted(run)
    begun(run)
    record = read(run)
    assert record.state == "lost"
    assert "Slurm knows nothing of job 5" in record.reason
