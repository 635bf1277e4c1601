"""Small JSON files that are written whole or not at all, and read within bounds."""

import contextlib
import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

JSON_LIMIT_BYTES = 64 << 20
"""Largest JSON file that is read: a launch may name thousands of input files."""


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees all of it or its former self.

    Args:
        path: The file.
        content: All of it.
        durable: Wait until it is on the disk, so that it outlives a power cut. What can
            be derived again need not.

    Raises:
        OSError: It could not be written; nothing is left behind.
    """
    fresh = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with open(fresh, "wb") as stream:
            stream.write(content)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    if durable:
        sync_folder(path.parent)


def write_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """Write plain JSON data whole or not at all; see `write_whole`.

    Raises:
        OSError: It could not be written.
    """
    write_whole(path, json.dumps(value, sort_keys=True).encode("ascii") + b"\n", durable=durable)


def sync_folder(path: Path) -> None:
    """Make new names in a folder last through a power cut; best effort."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; a pipe or device that a job put in its place never blocks us.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    return open(_open(path)[0], "rb")


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """Return the first bytes of a regular file, without the cost of a stream.

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    descriptor, size_bytes = _open(path)
    try:
        return _read(descriptor, min(limit_bytes, size_bytes))
    finally:
        os.close(descriptor)


def _open(path: Path) -> tuple[int, int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return descriptor, facts.st_size


def _read(descriptor: int, count_bytes: int) -> bytes:
    """Read so many bytes, or up to the end: one call may return fewer."""
    pieces = []
    while count_bytes > 0 and (piece := os.read(descriptor, count_bytes)):
        pieces.append(piece)
        count_bytes -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_object(path: Path, limit_bytes: int = JSON_LIMIT_BYTES) -> dict[str, Any] | None:
    """Return a file's JSON object; None where there is none that can be read."""
    try:
        content = read_regular(path, limit_bytes + 1)
        value = json.loads(content) if len(content) <= limit_bytes else None
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_tail(path: Path, limit_bytes: int) -> bytes:
    """Return the last bytes of a file, without its first line where that is cut; empty if unreadable."""
    try:
        descriptor, size_bytes = _open(path)
        try:
            start = max(0, size_bytes - limit_bytes)
            os.lseek(descriptor, max(0, start - 1), os.SEEK_SET)
            content = _read(descriptor, limit_bytes + (start > 0))
        finally:
            os.close(descriptor)
    except OSError:
        return b""
    return content.partition(b"\n")[2] if start else content
