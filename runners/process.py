"""Which processes belong to a run, told so that no stranger is ever meant. Linux only.

A pid alone proves nothing: it is reused. A process is the triple (pid, start time, boot
id). A run's processes are those whose environment carries the run's marker (inherited,
also by those that left their parent), plus all descendants of its supervisor (also
those that dropped their environment).
"""

import contextlib
import functools
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MARKER_VARIABLE = "FSDP_RUN_MARKER"
"""Environment variable that all processes of a run's job carry."""

_PROC = Path("/proc")
_ENVIRON_LIMIT_BYTES = 4 << 20
_DEAD_STATES = "ZX"
_PPID_FIELD, _START_FIELD = 1, 19  # counted from `state`, the first field after the name


class Identity(NamedTuple):
    """One process, not its pid's next owner."""

    pid: int
    """Process id."""
    started: int
    """Start time in clock ticks since boot."""
    boot: str
    """Boot id of the kernel."""

    def is_alive(self) -> bool:
        """Tell whether this very process still runs; a zombie does not."""
        return identity(self.pid) == self

    def as_json(self) -> dict[str, Any]:
        """Return the form in which it is written down."""
        return self._asdict()


def from_json(value: Any) -> Identity | None:
    """Read an identity that was written down; None where it is none."""
    try:
        return Identity(int(value["pid"]), int(value["started"]), str(value["boot"]))
    except (TypeError, KeyError, ValueError):
        return None


@functools.cache
def boot_id() -> str:
    """Return the id that the kernel drew when this machine started; empty where unknown."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def identity(pid: int) -> Identity | None:
    """Return the identity of a living process; None where it is dead or a zombie."""
    fields = _stat(pid)
    if fields is None or fields[0] in _DEAD_STATES:
        return None
    return Identity(pid, int(fields[_START_FIELD]), boot_id())


def marked(markers: frozenset[str]) -> dict[Identity, str]:
    """Return the living processes that carry one of the markers, each with its marker."""
    found = {}
    for pid in _pids():
        # first who it is, then whose: a pid that changes hands in between no longer matches
        process = identity(pid)
        if process is not None and (marker := _marker(pid)) in markers:
            found[process] = marker
    return found


def descendants(pid: int) -> set[Identity]:
    """Return the living processes below a process; it is not one of them."""
    children: dict[int, list[Identity]] = {}
    for other in _pids():
        fields = _stat(other)
        if fields is not None and fields[0] not in _DEAD_STATES:
            child = Identity(other, int(fields[_START_FIELD]), boot_id())
            children.setdefault(int(fields[_PPID_FIELD]), []).append(child)
    below: set[Identity] = set()
    todo = [pid]
    while todo:
        fresh = [child for child in children.get(todo.pop(), ()) if child not in below]
        below.update(fresh)
        todo.extend(child.pid for child in fresh)
    return below


def send(process: Identity, number: int) -> bool:
    """Send a signal to this very process; False where it is gone."""
    # The descriptor holds the process: between check and signal its pid cannot change hands.
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(process.pid)
        try:
            if process.is_alive():
                signal.pidfd_send_signal(descriptor, number)
                return True
        finally:
            os.close(descriptor)
    return False


def _pids() -> Iterator[int]:
    with contextlib.suppress(OSError), os.scandir(_PROC) as entries:
        for entry in entries:
            if entry.name.isdecimal():
                yield int(entry.name)


def _stat(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the name in brackets may hold spaces and brackets: what follows the last one counts
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > _START_FIELD else None


def _marker(pid: int) -> str | None:
    try:
        with open(_PROC / str(pid) / "environ", "rb") as stream:
            variables = stream.read(_ENVIRON_LIMIT_BYTES).split(b"\0")
    except OSError:
        return None  # gone, or another user's
    prefix = MARKER_VARIABLE.encode() + b"="
    for variable in variables:
        if variable.startswith(prefix):
            return variable[len(prefix) :].decode(errors="replace")
    return None
