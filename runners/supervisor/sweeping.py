"""Leave no process behind: find all that belong to a run, ask them to end, then make them."""

import contextlib
import os
import signal
import time

from runners.process import Identity, descendants, marked, send

_ASK_S = 5.0
"""Seconds between SIGTERM and SIGKILL: enough to close files, not to train on."""
_KILL_S = 30.0
"""Seconds in which killed processes must be gone; one that waits for a dead disk may not be."""
_LOOK_S = 0.05


def reap() -> dict[int, int]:
    """Collect ended children, adopted ones too: pid -> exit status, negative for a signal."""
    ended = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = os.waitstatus_to_exitcode(status)
    return ended


def belonging(marker: str) -> set[Identity]:
    """Return the living processes of a run, its supervisor (the caller) not among them."""
    found = set(marked(frozenset({marker}))) | descendants(os.getpid())
    return {process for process in found if process.pid != os.getpid()}


def signal_all(marker: str, number: signal.Signals, spare: Identity | None = None) -> int:
    """Send a signal to all processes of a run but one; return how many there were."""
    meant = belonging(marker) - {spare}
    for process in meant:
        send(process, number)
    return len(meant)


def sweep(marker: str) -> tuple[int, int]:
    """End what is left of a run.

    Returns:
        How many processes were found, and how many could not be ended.
    """
    found = signal_all(marker, signal.SIGTERM)
    left = _wait_until_gone(marker, _ASK_S) if found else 0
    deadline = time.monotonic() + _KILL_S
    while left and time.monotonic() < deadline:
        # again and again: what is being killed may still fork
        signal_all(marker, signal.SIGKILL)
        left = _wait_until_gone(marker, 1.0)
    return found, left


def _wait_until_gone(marker: str, limit_s: float) -> int:
    deadline = time.monotonic() + limit_s
    while True:
        reap()
        left = len(belonging(marker))
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(_LOOK_S)
