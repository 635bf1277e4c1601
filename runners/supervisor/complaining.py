"""Say what went wrong, where that is possible: a disk that is full takes no log either."""

import contextlib
import os

_STANDARD_ERROR = 2


def complain(words: str) -> None:
    """Write a line to standard error; where it cannot be written, it is lost and nothing else is.

    `print` would raise, and what a supervisor or a shim has to wait for would not be waited for.
    """
    with contextlib.suppress(OSError):
        os.write(_STANDARD_ERROR, f"{words}\n".encode("utf-8", "replace"))
