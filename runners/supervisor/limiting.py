"""The limits of a job: what the kernel holds for each process, and what is counted here for all of them."""

import re
import resource
import time
from typing import Any

from runners.supervisor.sweeping import belonging

_GIB = 1 << 30
_LOOK_S = 1.0
_NO_MEMORY = re.compile(
    r"MemoryError|Cannot allocate memory|can't allocate memory|not enough memory|out of memory|bad_alloc"
    r"|Unable to allocate|can't start new thread",
    re.IGNORECASE,
)
_NO_FILE = re.compile(r"SIGXFSZ|File too large")


def set_limits(limits: dict[str, Any]) -> None:
    """Limit this process and all that it starts; what a lower limit of the system allows stays.

    RLIMIT_DATA counts private memory that can be written, so an allocation fails where it
    is made. It needs no rights, is inherited, and holds when the supervisor is dead; a
    control group needs a part of its tree that is ours, which containers seldom give.

    Args:
        limits: `contracts.launch.ResourceLimits` as plain JSON data.
    """
    kinds = (("memory_gib", resource.RLIMIT_DATA), ("file_gib", resource.RLIMIT_FSIZE))
    for name, kind in kinds:
        if limits.get(name) is not None:
            wanted, hard = int(float(limits[name]) * _GIB), resource.getrlimit(kind)[1]
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(kind, (most, most))


def limit_met(limits: dict[str, Any], reason: str) -> str:
    """Return which limit a failure speaks of; empty where none.

    Args:
        limits: `contracts.launch.ResourceLimits` as plain JSON data.
        reason: How the job failed, with its last words.
    """
    if limits.get("memory_gib") is not None and _NO_MEMORY.search(reason):
        return f"limit memory_gib: {limits['memory_gib']:g} GiB for each process (RLIMIT_DATA)"
    if limits.get("file_gib") is not None and _NO_FILE.search(reason):
        return f"limit file_gib: {limits['file_gib']:g} GiB for each file (RLIMIT_FSIZE)"
    return ""


class ProcessCount:
    """Counts the processes of one start against their limit."""

    def __init__(self, marker: str, limits: dict[str, Any]) -> None:
        """Look at nothing yet.

        Args:
            marker: What the processes are known by.
            limits: `contracts.launch.ResourceLimits` as plain JSON data.
        """
        self._marker, self._most = marker, limits.get("processes")
        self._looked_at = float("-inf")

    def look(self) -> str:
        """Return by how much the limit is exceeded, in words; empty where it is not, or there is none."""
        if self._most is None or time.monotonic() - self._looked_at < _LOOK_S:
            return ""
        self._looked_at = time.monotonic()
        count = len(belonging(self._marker)) - 1  # the shim is ours
        return f"limit processes: {count} at once, {self._most} allowed" if count > self._most else ""
