"""Read what a job writes: events and logs. A job is not trusted: everything is bounded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from contracts.event import Event, EventPage
from runners.cleaning import printable
from runners.files import open_regular, read_tail
from runners.rank_logs import rank_files
from runners.redacting import Redactor
from runners.rundir import AttemptDir

LINE_LIMIT_BYTES = 64 << 10
"""Longest event line that is read; longer ones are skipped."""
_PAGE_LIMIT_BYTES = 4 << 20
_SKIP_LIMIT_BYTES = 64 << 20
"""How far one call goes through what is no event."""
_TOO_LONG = b"a line that is too long to be an event"
_NEAR_END_BYTES, _TAIL_BYTES = 4 << 10, 64 << 10
_LOGS_LIMIT_BYTES = 8 << 20
_LEAST_TAIL_BYTES = 4 << 10
_FORMS_ALONE = Redactor(())
"""Knows no value, only what has the form of a token."""


def read_events(path: Path, cursor: int, limit: int, redactor: Redactor = _FORMS_ALONE) -> EventPage:
    """Return up to `limit` events after byte `cursor`, and where to go on.

    A line that is not finished is left for the next call. A line that is no event
    (binary, broken, too long) is skipped and counted.
    """
    events: list[Event] = []
    skipped, taken_bytes, start = 0, 0, max(0, cursor)
    position = start
    try:
        with open_regular(path) as stream:
            position = _to_line_start(stream, start)
            while len(events) < limit and taken_bytes < _PAGE_LIMIT_BYTES and position - start < _SKIP_LIMIT_BYTES:
                line, position = _next_line(stream, position)
                if line is None:
                    break
                event = parse_event(line, redactor)
                if event is not None:
                    events.append(event)
                    taken_bytes += len(line)
                elif line.strip():
                    skipped += 1
    except OSError:
        pass  # not written yet
    return EventPage(events=tuple(events), cursor=position, skipped=skipped)


def parse_event(line: bytes, redactor: Redactor = _FORMS_ALONE) -> Event | None:
    """Return the event of a line; None where it is none.

    NaN and infinities, which a diverged job writes, become None; `data.not_finite` is
    then true.
    """
    not_finite: list[str] = []
    try:
        text = line.decode()
        # a decoder of its own for each line costs as much as the line
        rare = "NaN" in text or "Infinity" in text
        value = json.loads(text, parse_constant=not_finite.append) if rare else json.loads(text)
        if not isinstance(value, dict):
            return None
        if not_finite:
            data = value.get("data")
            value["data"] = (data if isinstance(data, dict) else {}) | {"not_finite": True}
        return Event.model_validate(value if redactor.passes(text) else redactor.data(value))
    except (ValueError, ValidationError, RecursionError):
        return None


def newest_step(path: Path) -> tuple[int | None, float | None]:
    """Return step and loss of the newest step event among the last 64 KiB of events."""
    for size_bytes in (_NEAR_END_BYTES, _TAIL_BYTES):
        # nearly always one of the last lines: a list of a thousand runs reads this of each
        for line in reversed(read_tail(path, size_bytes).split(b"\n")):
            event = parse_event(line) if b'"step"' in line else None
            if event is not None and event.kind == "step":
                return event.step, event.loss
    return None, None


def read_logs(attempt: AttemptDir, rank: int | None, tail_lines: int, redactor: Redactor = _FORMS_ALONE) -> str:
    """Return the last lines of each log of one start, cleaned of escape sequences.

    Args:
        attempt: The start.
        rank: Only this rank's output; None: the launcher's and all ranks', each line
            with its origin in front.
        tail_lines: Lines of each log.
        redactor: Takes the run's secrets out.
    """
    logs = [(where, path) for where, number, path in _logs(attempt) if rank is None or number == rank]
    each_bytes = max(_LEAST_TAIL_BYTES, _LOGS_LIMIT_BYTES // max(1, len(logs)))
    shown = []
    for where, path in logs:
        text = redactor.text(read_tail(path, each_bytes).decode("utf-8", "replace"))
        lines = text.removesuffix("\n").split("\n") if text else []
        last = lines[-tail_lines:] if tail_lines > 0 else []
        shown += [printable(line) if rank is not None else f"[{where}] {printable(line)}" for line in last]
    return "\n".join(shown) + ("\n" if shown else "")


def _logs(attempt: AttemptDir) -> Iterator[tuple[str, int, Path]]:
    """Yield (origin, rank, file): the launcher as rank -1 first, then the ranks in order."""
    yield "launcher", -1, attempt.launcher_log
    found: dict[tuple[int, str], Path] = {}
    for number, path in rank_files(attempt, "std*.log"):
        if path.name in ("stdout.log", "stderr.log"):
            found[number, path.stem] = path
    for (number, stream), path in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] == "stderr")):
        yield f"rank {number}" + (" stderr" if stream == "stderr" else ""), number, path


def _to_line_start(stream: BinaryIO, cursor: int) -> int:
    """Go to a cursor; in the middle of a line (its beginning was skipped) to the line's end."""
    stream.seek(max(0, cursor - 1))
    if cursor == 0 or stream.read(1) in (b"\n", b""):
        return cursor
    past = _past_line(stream, cursor)
    stream.seek(cursor if past is None else past)
    return cursor if past is None else past


def _next_line(stream: BinaryIO, position: int) -> tuple[bytes | None, int]:
    """Return a whole line and the position after it; None where there is none yet."""
    line = stream.readline(LINE_LIMIT_BYTES)
    if line.endswith(b"\n"):
        return line, position + len(line)
    past = _past_line(stream, position + len(line)) if len(line) == LINE_LIMIT_BYTES else None
    return (None, position) if past is None else (_TOO_LONG, past)


def _past_line(stream: BinaryIO, position: int) -> int | None:
    """Return the position after the line's end, or as far as one call goes; None where it has no end yet."""
    last = position + _SKIP_LIMIT_BYTES
    while position < last:
        piece = stream.readline(LINE_LIMIT_BYTES)
        position += len(piece)
        if piece.endswith(b"\n"):
            return position
        if not piece:
            return None
    return position
