"""How a supervisor begins: detached, alone at its run folder, and with an answer to its client."""

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import signal
import time
import traceback
from typing import Any

from runners.journal import fold, read_journal
from runners.rundir import RunDir
from runners.supervisor.commands import send_caller
from runners.supervisor.complaining import complain
from runners.supervisor.supervision import Supervision
from runners.supervisor.watching import AWAITED

_LOCK_PATIENCE_S = 20.0
_LOCK_LOOK_S = 0.05
_SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux' prctl: orphans below this process become its children."""
_IGNORED = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def supervise(run_dir: str, number: int, *, may_start: bool) -> int:
    """Detach, and see start `number` of a run through.

    The calling client reads one JSON line from standard output: `ok` (the run is in a
    supervisor's hands, this one's or another's) or `error`.

    Args:
        run_dir: The run folder.
        number: Start, counted from 1.
        may_start: Whether it may be started.

    Returns:
        Exit status of this process.
    """
    if os.fork():
        return 0
    # Second half of the double fork: a new session that no terminal belongs to.
    os.setsid()
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for ignored in _IGNORED:
        signal.signal(ignored, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    run = RunDir(run_dir)
    answer = _Answer(run)
    try:
        lock = _take_lock(run, number)
        if lock is not None:
            Supervision(run).see_through(number, may_start=may_start, ready=answer.ok)
            send_caller(run.path)
        answer.ok()
    except OSError as error:
        answer.error(f"{run.path}: {error.strerror or error}")
        return 1
    except BaseException:
        answer.error(traceback.format_exc(limit=-3))
        raise
    return 0


class _Answer:
    """The one line to the client; what is written later goes to supervisor.log."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._given = False

    def ok(self) -> None:
        self._give({"ok": True})

    def error(self, words: str) -> None:
        if self._given:
            complain(words)
        self._give({"ok": False, "error": words})

    def _give(self, answer: dict[str, Any]) -> None:
        if self._given:
            return
        self._given = True
        with contextlib.suppress(OSError):  # the client may be gone; the job is not
            os.write(1, json.dumps(answer).encode() + b"\n")
        try:
            log = os.open(self._run.supervisor_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:
            log = os.open(os.devnull, os.O_WRONLY)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)


def _take_lock(run: RunDir, number: int) -> int | None:
    """Return the held lock; None where another supervisor has this start in its hands.

    Raises:
        OSError: It cannot be had, and nobody has this start in his hands.
    """
    descriptor = os.open(run.lock, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            # A supervisor that has written an end is about to leave: wait for it.
            standing = fold(read_journal(run.journal))
            at_work = standing.pending > 0 or standing.state is None
            held_too_long = time.monotonic() > deadline
            if held_too_long or (at_work and standing.wanted >= number):
                os.close(descriptor)
                if held_too_long:  # by one that waits for a disk, or by the child of one that was killed
                    words = f"its lock is held by a process that does not see to start {number}"
                    raise OSError(errno.EBUSY, words) from None
                return None
        time.sleep(_LOCK_LOOK_S)
