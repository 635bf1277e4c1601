"""Warn before host memory, shared memory or the disk run out."""

import os
import time
from pathlib import Path
from typing import NamedTuple

from runners.rundir import RunDir
from runners.supervisor.recorder import Recorder

_LOOK_S = 10.0
_GIB = 1 << 30
_RECOVERED = 1.5
"""A warning is given again only after this many times the limit was free in between."""
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, not written


class Limits(NamedTuple):
    """Free space below which there is a warning: this much, or this share where that is less."""

    memory_gib: float = 4.0
    """Host memory in GiB, of the machine or of the control group."""
    shared_gib: float = 1.0
    """Shared memory in GiB: DataLoader workers and NCCL use it."""
    disk_gib: float = 20.0
    """Space for the run folder in GiB; more where the newest checkpoint is larger."""
    share: float = 0.05
    """Of the whole, so that a small machine is not warned all the time."""


class Scarcity:
    """Watches what a job may exhaust on its machine."""

    def __init__(self, run: RunDir, number: int, recorder: Recorder, limits: Limits | None = None) -> None:
        """Look at nothing yet."""
        self._run, self._number, self._recorder = run, number, recorder
        self._limits = limits or Limits()
        self._looked_at = float("-inf")
        self._warned: set[str] = set()

    def look(self) -> None:
        """Look where it is time to, and write a `warning` entry for what has become scarce."""
        if time.monotonic() - self._looked_at < _LOOK_S:
            return
        self._looked_at = time.monotonic()
        limits = self._limits
        self._judge("memory", _memory_bytes(), limits.memory_gib, "host memory")
        self._judge("shared_memory", _space_bytes(_SHARED_MEMORY), limits.shared_gib, f"{_SHARED_MEMORY}")
        disk = _space_bytes(self._run.path)
        self._judge("disk", disk, limits.disk_gib, "the disk of the run folder", _newest_bytes(self._run.path / "ckpt"))

    def _judge(
        self, resource: str, space: tuple[int, int] | None, limit_gib: float, name: str, needed: int = 0
    ) -> None:
        if space is None:
            return
        free, whole = space
        limit = max(min(limit_gib * _GIB, self._limits.share * whole), float(needed))
        if free >= limit * _RECOVERED:
            self._warned.discard(resource)
        elif free < limit and resource not in self._warned:
            self._warned.add(resource)
            message = f"{free / _GIB:.2f} GiB free of {whole / _GIB:.2f} GiB: {name}"
            if needed > free:
                message += f"; the newest checkpoint has {needed / _GIB:.2f} GiB, another does not fit"
            facts = {"resource": resource, "free_bytes": free, "whole_bytes": whole, "message": message}
            self._recorder.note("warning", attempt=self._number, **facts)


def _memory_bytes() -> tuple[int, int] | None:
    """Return free and whole memory: the machine's, or the control group's where that leaves less."""
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text(encoding="ascii").splitlines())
        free, whole = (int(lines[name].split()[0]) << 10 for name in ("MemAvailable", "MemTotal"))
    except (OSError, ValueError, KeyError, IndexError):
        return None
    try:
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        cache = dict(line.split() for line in (_CGROUP / "memory.stat").read_text(encoding="ascii").splitlines())
        left = limit - used + int(cache.get("inactive_file", 0))
        return (max(0, left), limit) if left < free else (free, whole)
    except (OSError, ValueError):
        return free, whole  # no limit, or another version of control groups


def _space_bytes(path: Path) -> tuple[int, int] | None:
    try:
        facts = os.statvfs(path)
    except OSError:
        return None
    return (facts.f_bavail * facts.f_frsize, facts.f_blocks * facts.f_frsize) if facts.f_blocks else None


def _newest_bytes(checkpoints: Path) -> int:
    """Return the size of the newest whole checkpoint: about what the next one takes."""
    try:
        whole = [entry for entry in os.scandir(checkpoints) if (Path(entry.path) / "manifest.json").exists()]
        newest = max(whole, key=lambda entry: entry.stat().st_mtime, default=None)
        return sum(entry.stat().st_size for entry in os.scandir(newest.path)) if newest else 0
    except OSError:
        return 0
