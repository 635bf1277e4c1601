"""Why Slurm told a job to save, and how the run goes on elsewhere. Standard library only."""

import signal
from typing import Any, Literal

from contracts.errors import RunnerError
from runners.batch.allocation import Allocation
from runners.batch.calls import call
from runners.batch.handing_over import SlurmSilent, hand_over
from runners.batch.jobs import Job, details, until_answered
from runners.batch.submissions import CONTINUATION, continuations, newest, steps_at
from runners.outcome import read_result
from runners.rundir import RunDir

Why = Literal["cancelled", "time_limit", "preempted", "requeued", "asked"]
"""cancelled: somebody ended the job; time_limit: its time is nearly over; preempted: another job
takes its nodes; requeued: Slurm has put it back already; asked: somebody sent USR1."""
_EARLY_S = 90.0
"""Slurm may send the signal of a time limit up to 60 s early."""
_AT_THE_LIMIT_S = 2.0
_PATIENCE_S = 30.0
_BY_HAND = ("CANCELLED", "DEADLINE", "REVOKED")
_PUT_BACK = ("PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "NODE_FAIL", "BOOT_FAIL")


def why_told(job: Job | None, number: int, save_before_s: float, restarts: int) -> Why:
    """Return what a signal to the batch step meant.

    Args:
        job: What Slurm says of the job now; None where it does not answer.
        number: The signal.
        save_before_s: Seconds before the time limit at which USR1 is sent.
        restarts: How often the job had gone back into the queue when it started.
    """
    by_user = number == signal.SIGUSR1
    if job is None:
        return "preempted" if by_user else "cancelled"
    if job.restarts > restarts:
        return "requeued"  # its state only says COMPLETING then
    if job.state in _BY_HAND:
        return "cancelled"
    if job.preempted or job.state == "PREEMPTED":
        return "preempted"
    if job.state in _PUT_BACK:
        return "requeued"
    # SIGTERM comes at the limit itself; before it somebody else has sent it
    near_s = save_before_s + _EARLY_S if by_user else _AT_THE_LIMIT_S
    if job.state == "TIMEOUT" or (job.left_s is not None and job.left_s <= near_s):
        return "time_limit"
    return "asked" if by_user else "cancelled"


def ask_slurm(job_id: int) -> Job | None:
    """Return what Slurm says of the job; waits half a minute for a slurmctld that does not answer."""
    job = details(job_id)
    if job is None and until_answered(_PATIENCE_S):
        job = details(job_id)
    return job


def go_on(run: RunDir, number: int, allocation: Allocation, options: dict[str, Any], why: Why) -> tuple[bool, str]:
    """See to it that the run goes on in another job, or in this one once it has nodes again.

    Args:
        run: The run folder.
        number: The submission.
        allocation: This job.
        options: The approved Slurm options.
        why: Why it cannot go on here.

    Returns:
        Whether it will, and in words how, or why not.
    """
    if why == "requeued":
        return True, f"Slurm has put job {allocation.job_id} back into its queue"
    # each way is the other's second choice: sites may forbid one of them
    ways = [_next_job, _back] if why == "time_limit" else [_back, _next_job]
    said = []
    for way in ways:
        good, words = way(run, number, allocation, options)
        if good:
            return True, words
        said.append(words)
    return False, "; ".join(said)


def put_back(allocation: Allocation, exclude: list[str]) -> tuple[bool, str]:
    """Put this job back into the queue, without these nodes.

    Its processes get SIGTERM soon after: whoever calls is to end.

    Returns:
        Whether it is back, and in words how, or why not.
    """
    answer = call(["scontrol", "requeue", str(allocation.job_id)])
    if not answer.good:
        return False, f"job {allocation.job_id} cannot go back into the queue: {answer.words}"
    return True, f"job {allocation.job_id} is back in Slurm's queue" + without(allocation, exclude)


def without(allocation: Allocation, exclude: list[str]) -> str:
    """Keep a job that is back in the queue from these nodes; return in words whether it will."""
    if not exclude:
        return ""
    answer = call(["scontrol", "update", f"JobId={allocation.job_id}", f"ExcNodeList={','.join(exclude)}"])
    return f" without {', '.join(exclude)}" if answer.good else f", with the same nodes: {answer.words}"


def _back(_run: RunDir, _number: int, allocation: Allocation, options: dict[str, Any]) -> tuple[bool, str]:
    most = int(options.get("max_requeues", 0))
    if allocation.restarts >= most:
        return False, f"job {allocation.job_id} went back into the queue {allocation.restarts} times (limit {most})"
    return put_back(allocation, [])


def _next_job(run: RunDir, number: int, allocation: Allocation, options: dict[str, Any]) -> tuple[bool, str]:
    most = int(options.get("max_continuations", 0))
    if continuations(run, number) >= most:
        return False, f"{most} further jobs were approved, and are used up"
    if newest(run) > number:
        return True, "a further job was submitted already"
    step = read_result(run.result).get("steps")
    before = [steps_at(run, earlier) for earlier in (number, number - 1)]
    if continuations(run, number) > 1 and before == [step, step]:
        return False, f"two jobs in a row made no step beyond {step or 0}: the time limit is too short to start"
    for last in (False, True):
        try:
            job_id = hand_over(run, number + 1, CONTINUATION, after=allocation.job_id, step=step)
            return True, f"job {job_id} goes on when job {allocation.job_id} has ended"
        except SlurmSilent as error:
            if last or not until_answered(_PATIENCE_S):
                return False, f"no further job: {error.message}"
        except (RunnerError, OSError) as error:
            return False, f"no further job: {error}"
    raise AssertionError("the second try has returned")
