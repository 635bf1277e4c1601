"""The files of a thread's report, for whoever may see the thread."""

import re
from pathlib import Path

from contracts.errors import InputError
from interfaces.doors.desk import Desk
from runners import Home

_FILE = re.compile(r"report\.(md|html)|[a-z][a-z0-9_-]{0,40}\.(png|svg)")


def report_path(desk: Desk, thread_id: str, name: str) -> Path:
    """Return the path of a report, or of a picture in it.

    Args:
        desk: Who calls.
        thread_id: The thread.
        name: `report.md`, `report.html`, or a picture's name.

    Raises:
        InputError: The thread is not the caller's, the name is none of a report, or there is no such file.
    """
    desk.owners.require_thread(desk.caller, thread_id)
    path = Home(desk.settings.home).reports / thread_id / name
    if not _FILE.fullmatch(name) or not path.is_file() or path.is_symlink():
        raise InputError(
            f"thread {thread_id} has no {name[:60]!r}", code="no_report", hint="a report is written at the end"
        )
    return path
