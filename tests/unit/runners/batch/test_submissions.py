"""The files of a submission: the first writer counts, whoever comes later."""

import threading
from pathlib import Path

import pytest

from runners.batch.submissions import (
    CONTINUATION,
    FIRST,
    RESUME,
    SubmissionDir,
    continuations,
    exclude_nodes,
    excluded_nodes,
    held,
    intend,
    newest,
    record_end,
    record_job,
    steps_at,
)
from runners.rundir import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    folder = tmp_path / "r-0123456789ab"
    folder.mkdir()
    return RunDir(folder)


def test_nothing_was_submitted(run: RunDir) -> None:
    assert newest(run) == 0
    assert SubmissionDir(run, 1).job_id() is None
    assert continuations(run, 0) == 0
    assert excluded_nodes(run) == {}


def test_an_intent_is_journaled_once(run: RunDir) -> None:
    assert intend(run, 1, FIRST).kind() == FIRST
    assert intend(run, 1, RESUME).kind() == FIRST
    assert newest(run) == 1
    (run.path / "slurm" / "0007").mkdir()  # without an intent it is none
    assert newest(run) == 1


def test_of_two_jobs_the_first_that_was_recorded_counts(run: RunDir) -> None:
    made = intend(run, 1, FIRST)
    jobs = range(100, 116)
    said: list[int] = []
    threads = [threading.Thread(target=lambda job=job: said.append(record_job(made, job))) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 16
    assert set(said) == {made.job_id()}
    assert sorted(path.name for path in made.path.iterdir()) == ["intent.json", "job.json"]  # no draft is left


def test_the_end_that_slurm_told_first_is_kept(run: RunDir) -> None:
    made = intend(run, 1, FIRST)
    assert record_end(made, {"state": "failed"}) == {"state": "failed"}
    assert record_end(made, {"state": "lost"}) == {"state": "failed"}


def test_continuations_count_from_the_last_time_that_a_person_asked(run: RunDir) -> None:
    kinds = (FIRST, CONTINUATION, CONTINUATION, RESUME, CONTINUATION)
    for number, kind in enumerate(kinds, start=1):
        intend(run, number, kind, step=number * 10)
    assert [continuations(run, number) for number in range(1, 6)] == [0, 1, 2, 0, 1]
    assert steps_at(run, 3) == 30


def test_nodes_that_were_left_out_add_up_and_keep_their_first_reason(run: RunDir) -> None:
    (run.path / "slurm").mkdir()
    exclude_nodes(run, {"n1": "it failed"})
    assert exclude_nodes(run, {"n2": "slow", "n1": "again"}) == {"n1": "it failed", "n2": "slow"}


def test_the_lock_is_held_by_one(run: RunDir) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with held(run):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_a_jobs_name_is_of_one_run_folder_and_one_submission(run: RunDir) -> None:
    names = {
        SubmissionDir(run, number).name(f"r-0123456789ab.{random}")
        for number in (1, 2)
        for random in ("deadbeef00000000", "0badf00d00000000")
    }
    assert len(names) == 4
    assert "fsdp-r-0123456789ab-deadbeef-1" in names
