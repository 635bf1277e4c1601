"""Diagnose: why a job failed or hangs, from what is left of it. Nothing is run."""

from typing import TYPE_CHECKING, BinaryIO

from contracts.errors import InputError

if TYPE_CHECKING:
    from contracts.diagnosis import Diagnosis

STDIN = "-"
"""Path that stands for standard input."""
STDIN_NAME = "<stdin>"
"""File name of its lines."""


def diagnose(paths: tuple[str, ...], stdin: BinaryIO, torch: str | None) -> "Diagnosis":
    """Return the root causes that the text speaks for, best first, or `unknown`.

    Args:
        paths: Files, folders, or `-` for standard input.
        stdin: Stream that `-` reads to its end.
        torch: Version of torch that was in use; not considered where None.

    Raises:
        FileUnreadable: A path does not exist.
        InputError: `torch` is no version, or nothing was given to read.
    """
    from packaging.version import InvalidVersion

    from engines.diagnosis.diagnose import diagnose_text
    from engines.diagnosis.reading import Reading, read_paths, read_stream

    reading = Reading()
    for path in dict.fromkeys(paths):
        if path == STDIN:
            read_stream(stdin, STDIN_NAME, reading)
        else:
            read_paths((path,), reading)
    if not reading.lines:
        seen = "; ".join(reading.skipped[:3]) or "empty"
        raise InputError(
            f"no text was found in {', '.join(paths)} ({seen})", hint="give logs, a traceback or a sentence"
        )
    try:
        return diagnose_text(reading, torch)
    except InvalidVersion:
        raise InputError(f"--torch {torch!r} is no version", hint="such as 2.8") from None
