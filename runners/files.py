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
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(descriptor, "rb")


def read_object(path: Path, limit_bytes: int = JSON_LIMIT_BYTES) -> dict[str, Any] | None:
    """Return a file's JSON object; None where there is none that can be read."""
    try:
        with open_regular(path) as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            value = json.loads(stream.read(size_bytes)) if size_bytes <= limit_bytes else None
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_tail(path: Path, limit_bytes: int) -> bytes:
    """Return the last bytes of a file, without its first line where that is cut; empty if unreadable."""
    try:
        with open_regular(path) as stream:
            start = max(0, stream.seek(0, os.SEEK_END) - limit_bytes)
            stream.seek(max(0, start - 1))
            content = stream.read(limit_bytes + (start > 0))
    except OSError:
        return b""
    return content.partition(b"\n")[2] if start else content
