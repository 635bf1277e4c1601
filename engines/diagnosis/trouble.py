"""Tells the first failure from its consequences, and how each rank ended."""

import re
from collections.abc import Sequence

from engines.diagnosis.reading import Line

_ERROR = re.compile(
    r"\b[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)\b ?: ?\S|\bAssertionError\b|\b(?:Segmentation fault|Bus error)\b"
    r"|NCCL WARN|Xid|CUDA error|\bKilled\b|(?:^|\s)ERROR[ :]",
)
_CONSEQUENCE = re.compile(
    r"ChildFailedError|SignalException|closing signal|failed \(exitcode|watchdog|collective operation timeout"
    r"|remote process exit|ncclRemoteError|Connection closed by|reset by peer|Broken pipe|DistBackendError"
    r"|error_file|exitcode",
    re.IGNORECASE,
)
_CHARS_MAX = 400
_RANKS_MAX = 1024


def first_failure(lines: Sequence[Line]) -> str | None:
    """Return the first line of trouble with its rank and place.

    What ranks print because another one has gone counts only where nothing else is found.
    """
    consequence = None
    for line in lines:
        if not _ERROR.search(line.text) and not _CONSEQUENCE.search(line.text):
            continue
        if not _CONSEQUENCE.search(line.text):
            return _told(line)
        consequence = consequence or line
    return _told(consequence) if consequence else None


def rank_ends(lines: Sequence[Line]) -> dict[str, str]:
    """Return the last line of trouble of each rank whose lines carry its number."""
    ends: dict[str, str] = {}
    for line in lines:
        known = line.rank is not None and (line.rank in ends or len(ends) < _RANKS_MAX)
        if known and line.rank is not None and (_ERROR.search(line.text) or _CONSEQUENCE.search(line.text)):
            ends[line.rank] = line.text[:_CHARS_MAX]
    return dict(sorted(ends.items(), key=lambda item: int(item[0])))


def _told(line: Line) -> str:
    rank = f", rank {line.rank}" if line.rank is not None else ""
    return f"{line.file}:{line.number}{rank}: {line.text[:_CHARS_MAX]}"
