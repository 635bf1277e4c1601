"""How the batch step of a job begins: alone at its run folder, all signals in hand. Standard library only."""

import ctypes
import fcntl
import os
import signal
import time

from runners.batch.allocation import read_allocation
from runners.batch.submissions import SubmissionDir, newest, record_job
from runners.batch.supervision import BatchSupervision
from runners.rundir import RunDir
from runners.supervisor.complaining import complain
from runners.supervisor.watching import AWAITED

_SET_CHILD_SUBREAPER = 36
_IGNORED = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2)
_LOCK_PATIENCE_S = 120.0
"""A job that has just been replaced may still be ending; a lock of a dead node lingers on a network file system."""
_LOCK_LOOK_S = 0.25


def supervise_batch(run_dir: str, number: int) -> int:
    """See a run through as far as this job can.

    Args:
        run_dir: The run folder.
        number: The submission that this job is.

    Returns:
        Exit status of the batch step: 0 where the run is done, was cancelled, or goes on elsewhere.
    """
    # before anything that takes time: a signal that comes now is taken later
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED | {signal.SIGUSR1})
    for ignored in _IGNORED:
        signal.signal(ignored, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    run = RunDir(run_dir)
    allocation = read_allocation()
    counts = record_job(SubmissionDir(run, number), allocation.job_id)
    if counts != allocation.job_id:
        complain(f"submission {number} of {run.run_id} is job {counts}: this one, {allocation.job_id}, starts nothing")
        return 0
    if newest(run) != number:
        complain(f"{run.run_id} went on in submission {newest(run)}: this one, {number}, starts nothing")
        return 0
    lock = _take_lock(run)
    if lock is None:
        complain(f"another job holds {run.lock}: this one, {allocation.job_id}, starts nothing")
        return 1
    return 0 if BatchSupervision(run, number, allocation).work() else 1


def _take_lock(run: RunDir) -> int | None:
    """Return the held lock; None where another job keeps it."""
    descriptor = os.open(run.lock, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            time.sleep(_LOCK_LOOK_S)
    os.close(descriptor)
    return None
