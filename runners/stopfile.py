"""The stop file: how a run is asked to save and stop. Standard library only."""

import contextlib
import time
from typing import NamedTuple

from runners.files import read_object, write_json
from runners.rundir import RunDir

_LIMIT_BYTES = 64 << 10


class StopOrder(NamedTuple):
    """What the stop file says."""

    attempt: int | None
    """Start that is meant; None: whichever runs (a file made by hand)."""
    grace_s: float = 30.0
    """Seconds in which the job may stop by itself before its launcher gets SIGTERM."""
    kill_after_s: float = 40.0
    """Seconds from SIGTERM to SIGKILL; torchrun gives its ranks 30 of them."""
    by: str = "the user"
    """Who asked."""


def ask_to_stop(run: RunDir, order: StopOrder) -> None:
    """Write the stop file, unless there is one: a second request does not prolong the first.

    Raises:
        OSError: It cannot be written.
    """
    if not run.stop.exists():
        write_json(run.stop, {**order._asdict(), "time": time.time()})


def read_stop(run: RunDir) -> StopOrder | None:
    """Return the order to stop; None where there is no stop file."""
    if not run.stop.exists():
        return None
    found = read_object(run.stop, _LIMIT_BYTES) or {}
    order = StopOrder(None)
    number, by = found.get("attempt"), found.get("by")
    return StopOrder(
        number if isinstance(number, int) else None,
        _seconds(found.get("grace_s"), order.grace_s),
        _seconds(found.get("kill_after_s"), order.kill_after_s),
        by if isinstance(by, str) else order.by,
    )


def clear_stop(run: RunDir) -> None:
    """Remove the stop file: it was carried out, or was meant for a former start."""
    with contextlib.suppress(OSError):
        run.stop.unlink()


def _seconds(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < float("inf") else otherwise
