"""Keep a job that floods its logs from filling the disk: the middle of a long log is given back.

A job writes its logs itself, into files, so that nothing of ours stands between it and
its output and it never waits for anybody. A log that has grown beyond its limit gets a
hole: its first and last parts stay, and the disk space between is freed (fallocate,
FALLOC_FL_PUNCH_HOLE). Its length stays too, so the job goes on writing where it was.
"""

import contextlib
import ctypes
import os
import time
from pathlib import Path
from typing import Any

from runners.rank_logs import rank_files
from runners.rundir import AttemptDir
from runners.supervisor.recorder import Recorder

_GIB = 1 << 30
_BLOCK_BYTES = 4096
_BYTES_OF_A_SECTOR = 512  # unit of st_blocks, whatever the file system
_LOOK_FOR_FILES_S = 2.0
_MOST_FILES = 4096
_KEEP_SIZE_AND_PUNCH_HOLE = 0x01 | 0x02
_NOTE = "\n[the middle of this log was dropped: it grew beyond {limit:.3g} GiB; its beginning and its end are kept]\n"


class LogKeeper:
    """Keeps the logs of one start within a limit."""

    def __init__(self, attempt: AttemptDir, number: int, recorder: Recorder, launch: dict[str, Any]) -> None:
        """Look at nothing yet.

        Args:
            attempt: Files of the start.
            number: The start.
            recorder: Where it is written down that a log was shortened.
            launch: What was approved; has the limit.
        """
        self._attempt, self._number, self._recorder = attempt, number, recorder
        self._limit_gib = float((launch.get("limits") or {}).get("log_gib") or 0.0)
        self._paths: list[Path] = [attempt.launcher_log]
        self._looked_at = float("-inf")
        self._told: set[Path] = set()

    def look(self) -> None:
        """Shorten what is too long."""
        if not self._limit_gib:
            return
        if time.monotonic() - self._looked_at > _LOOK_FOR_FILES_S:
            self._looked_at = time.monotonic()
            ranks = [path for _, path in rank_files(self._attempt, "std*.log")][:_MOST_FILES]
            self._paths = [self._attempt.launcher_log, *ranks]
        for path in self._paths:
            with contextlib.suppress(OSError):
                facts = path.stat(follow_symlinks=False)
                if facts.st_blocks * _BYTES_OF_A_SECTOR > self._limit_gib * _GIB:
                    self._shorten(path, facts.st_size)

    def _shorten(self, path: Path, size_bytes: int) -> None:
        part = max(_BLOCK_BYTES, int(self._limit_gib * _GIB / 4) // _BLOCK_BYTES * _BLOCK_BYTES)
        start, end = part + _BLOCK_BYTES, (size_bytes - part) // _BLOCK_BYTES * _BLOCK_BYTES
        if end <= start:
            return
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            freed = _punch(descriptor, start, end - start)
            if freed:
                note = _NOTE.format(limit=self._limit_gib).encode()
                os.pwrite(descriptor, note.rjust(_BLOCK_BYTES, b" "), part)
        finally:
            os.close(descriptor)
        if path not in self._told:
            self._told.add(path)
            what = "its middle was dropped" if freed else "this file system cannot give its middle back"
            name = path.relative_to(self._attempt.path)
            message = f"log {name} grew beyond {self._limit_gib:.3g} GiB: {what}"
            self._recorder.note("warning", attempt=self._number, resource="log", message=message)


def _punch(descriptor: int, start: int, length: int) -> bool:
    """Free the space of a part of a file, which then reads as zeros; tell whether it could be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    call = getattr(libc, "fallocate64", None) or libc.fallocate
    offsets = (ctypes.c_int64(start), ctypes.c_int64(length))
    return bool(call(descriptor, _KEEP_SIZE_AND_PUNCH_HOLE, *offsets) == 0)
