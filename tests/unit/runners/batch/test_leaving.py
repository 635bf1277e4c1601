"""What a signal to the batch step meant, by what Slurm says of the job."""

import signal

import pytest

from runners.batch.jobs import Job
from runners.batch.leaving import Why, why_told

USR1, TERM = signal.SIGUSR1, signal.SIGTERM


def job(state: str = "RUNNING", left_s: float | None = 3600.0, *, preempted: bool = False, restarts: int = 0) -> Job:
    return Job(5, state, left_s=left_s, preempted=preempted, restarts=restarts)


@pytest.mark.parametrize(
    ("seen", "number", "why"),
    [
        (job(preempted=True), USR1, "preempted"),
        (job(left_s=119.0), USR1, "time_limit"),
        (job(left_s=205.0), USR1, "time_limit"),  # Slurm may be 60 s early
        (job(left_s=None), USR1, "asked"),
        (job(), USR1, "asked"),
        (job(), TERM, "cancelled"),
        (job("COMPLETING"), TERM, "cancelled"),  # what scancel leaves: the restarts are as they were
        (job("COMPLETING", restarts=1), TERM, "requeued"),
        (job("CANCELLED", left_s=10.0), TERM, "cancelled"),
        (job("COMPLETING", left_s=60.0), TERM, "cancelled"),  # scancel shortly before the limit
        (job("COMPLETING", left_s=0.0), TERM, "time_limit"),
        (job("TIMEOUT", left_s=0.0), TERM, "time_limit"),
        (job("NODE_FAIL"), TERM, "requeued"),
        (None, USR1, "preempted"),
        (None, TERM, "cancelled"),
    ],
)
def test_why(seen: Job | None, number: int, why: Why) -> None:
    assert why_told(seen, number, save_before_s=120.0, restarts=0) == why
