"""The journal: what a supervisor did, in order. It is the truth about a run.

One JSON object on each line, written with one call and fsynced. A line that was torn by
a crash or a full disk is passed over by the reader and closed by the next writer.
Standard library only.
"""

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from runners.files import read_regular
from runners.process import Identity, from_json

_LIMIT_BYTES = 16 << 20


class Journal:
    """The journal of one run, as its supervisor writes it."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is created."""
        self._path = path

    def append(self, kind: str, **facts: Any) -> None:
        """Write one entry and wait until it is on the disk.

        Args:
            kind: supervisor, refused, queued, attempt, started, stopping or end; restart or give_up,
                the decision on a failed start, written before its end; hang or limit, and
                ending, the steps by which what hangs or takes too much is ended; watched, by
                what a hang would be noticed; warning.
            **facts: Plain JSON data.

        Raises:
            OSError: It could not be written; the journal is as it was.
        """
        entry = {"time": time.time(), "kind": kind, **facts}
        line = json.dumps(entry, sort_keys=True).encode("ascii") + b"\n"
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            torn = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
            self._write(descriptor, (b"\n" if torn else b"") + line, end)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @staticmethod
    def _write(descriptor: int, content: bytes, end: int) -> None:
        try:
            written = os.write(descriptor, content)
            if written < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, end)
            raise


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return all entries that are whole; none where there is no journal."""
    entries = []
    try:
        content = read_regular(path, _LIMIT_BYTES)
    except OSError:
        return []
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and isinstance(entry.get("kind"), str):
                entries.append(entry)
    return entries


class Standing(NamedTuple):
    """What a journal amounts to."""

    attempt: int = 0
    """Newest start, counted from 1; 0 before the first."""
    state: str | None = None
    """done, failed, cancelled, lost or refused once that is written; else None."""
    stopping: bool = False
    """Whether the newest start was asked to stop."""
    exit_code: int | None = None
    """Exit status of the launcher, where the newest start has ended."""
    reason: str = ""
    """Why it ended."""
    started_at: float | None = None
    """Seconds since the epoch: the newest start."""
    last_at: float | None = None
    """Seconds since the epoch: the last entry."""
    supervisor: Identity | None = None
    """The last supervisor."""
    wanted: int = 0
    """Start that the last supervisor was sent to see through."""
    pending: int = 0
    """Start that the last supervisor has yet to begin; 0 where there is none."""
    shim: Identity | None = None
    """The shim of the newest start."""
    gave_up: dict[str, Any] | None = None
    """The entry that says why the newest start, which failed, is not followed by another."""
    queued: bool = False
    """Whether the start that is yet to begin waits for room."""


def fold(entries: Iterable[dict[str, Any]]) -> Standing:
    """Return what the entries amount to; entries of unknown kind change nothing."""
    standing = Standing()
    for entry in entries:
        standing = _after(standing, entry)
        moment = entry.get("time")
        if isinstance(moment, int | float):
            standing = standing._replace(last_at=float(moment))
    return standing


def _after(standing: Standing, entry: dict[str, Any]) -> Standing:
    kind = entry["kind"]
    number = _number(entry, "attempt") or 0
    if kind == "supervisor":
        pending = number if number > standing.attempt else 0
        # what was asked of a start that has ended is not asked of the one that is to begin
        stopping = standing.stopping and not (pending and standing.state is not None)
        process = from_json(entry.get("process"))
        return standing._replace(supervisor=process, wanted=number, pending=pending, stopping=stopping)
    if kind == "refused":
        reason = str(entry.get("reason", ""))
        return standing._replace(state="refused", reason=reason, exit_code=None, pending=0, queued=False)
    if kind == "queued":
        # what was asked of the start before, which has ended, is not asked of this one
        return standing._replace(queued=True, stopping=False)
    if kind == "attempt":
        begun = Standing(attempt=number, started_at=entry.get("time"))
        return begun._replace(supervisor=standing.supervisor, wanted=standing.wanted)
    if kind == "started":
        return standing._replace(shim=from_json(entry.get("process")))
    if kind == "restart":
        return standing._replace(wanted=number, pending=number)
    if kind == "give_up":
        return standing._replace(gave_up=entry)
    if kind == "stopping":
        return standing._replace(stopping=True)
    if kind == "end":
        return standing._replace(
            state=str(entry.get("state")),
            exit_code=_number(entry, "exit_code"),
            reason=str(entry.get("reason", "")),
            # a supervisor may close one start and then begin the next
            pending=standing.pending if standing.pending > number else 0,
        )
    return standing


def _number(entry: dict[str, Any], name: str) -> int | None:
    value = entry.get(name)
    return value if isinstance(value, int) else None
