"""One server for a home folder: its runs tell one address of their end."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from contracts.errors import RunnerError
from runners import Home

LOCK = "server.lock"
"""Name of the file that a running server holds, in the home folder."""


@contextmanager
def only_server(home: Home) -> Iterator[None]:
    """Hold the home folder's place of a server for as long as it serves.

    The lock is the kernel's: it ends with the process, however that ends.

    Args:
        home: The home folder.

    Raises:
        RunnerError: Another server serves this home folder.
    """
    home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    held = os.open(home.root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunnerError(
                f"a server already serves {home.root}{_where(home)}",
                code="server_running",
                hint="use that one, stop it first, or serve another home folder with --home",
            ) from None
        yield
    finally:
        os.close(held)


def _where(home: Home) -> str:
    try:
        url = str(json.loads(home.callback.read_bytes())["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f", at {url.partition('/fsdp/')[0]}"
