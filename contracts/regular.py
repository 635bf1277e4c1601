"""Regular files: the only ones that are read where a user names a path.

A device has no end, and a FIFO without a writer never opens: both are refused before a byte is read.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading, without ever waiting for somebody who writes.

    Args:
        path: The file; links are followed.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    # opening a device can already do something, so its kind is asked first, and once more of what was opened
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - str or Path
        raise _not_regular(path)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular(path)
    return os.fdopen(descriptor, "rb")


def read_whole(path: str | Path, limit_bytes: int) -> bytes:
    """Return the content of a regular file that has at most so many bytes.

    Args:
        path: The file; links are followed.
        limit_bytes: Most bytes that it may have, whatever its size was said to be.

    Raises:
        OSError: It cannot be read, is no regular file, or is larger.
    """
    with open_regular(path) as stream:
        content = stream.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, f"more than the {limit_bytes} bytes that are read", str(path))
    return content


def _not_regular(path: str | Path) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", str(path))
