"""Read from what a start left behind how it failed, and from the journal how earlier ones did."""

import contextlib
import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from runners.files import read_tail
from runners.outcome import Outcome, RootCause, exit_code_of, read_result, root_cause
from runners.rank_logs import rank_files
from runners.rundir import RunDir
from runners.supervisor.heartbeats import read_heartbeats
from runners.supervisor.policy import Failure, History

_EVENTS_TAIL_BYTES = 64 << 10
_MOST_FILES, _MOST_STARTS = 200, 100
_BOOT_LIMIT_S = 600.0
"""A start that reported no step and lasted longer may have done work: where it was is unknown."""
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?")
_OUT_OF_MEMORY = re.compile(r"out of memory|OutOfMemoryError|\bMemoryError\b", re.IGNORECASE)
_FIXED_BY_BYTES = re.compile(r"^(?:SyntaxError|IndentationError|ModuleNotFoundError)\b")
_WRONG_USE, _NOT_EXECUTABLE, _NOT_FOUND = 2, 126, 127
_BEFORE = "before any step"


def failure_of(run: RunDir, number: int, outcome: Outcome, *, hung: bool, lasted_s: float) -> Failure:
    """Return how a start failed.

    Args:
        run: The run folder.
        number: The start.
        outcome: Its end, failed or lost.
        hung: Whether it was ended because it hung.
        lasted_s: Seconds from its start to its end.
    """
    place = _place(run, number, lasted_s)
    if hung:
        return Failure("a rank hung", place)
    if read_result(run.result).get("status") == "stopped":
        return Failure(outcome.reason, place, "it was told to end by a signal, and saved before it did")
    if outcome.exit_code is None:
        return Failure(outcome.reason, place)
    cause = root_cause(run.attempt(number), outcome.exit_code)
    return Failure(_signature(cause), place, _hopeless(cause))


def evidence_of(run: RunDir, number: int) -> list[str]:
    """Return the files that tell how a start failed, relative to the run folder, the most telling first.

    Those of the rank that failed first where it is known, else of every rank; then what
    was taken down of a hang, and the launcher's own words. Empty files tell nothing.
    """
    attempt = run.attempt(number)
    code = exit_code_of(attempt)
    cause = root_cause(attempt, code) if code is not None else None
    rank = cause.who.removeprefix("rank ") if cause is not None and cause.who.startswith("rank ") else "*"
    found: list[Path] = []
    for name in ("error.json", "std*.log"):
        found += [path for number, path in rank_files(attempt, name) if rank in ("*", str(number))]
    with contextlib.suppress(OSError):
        found += sorted(attempt.diagnosis.iterdir())
    found.append(attempt.launcher_log)
    return [str(path.relative_to(run.path)) for path in found if _tells_something(path)][:_MOST_FILES]


def _tells_something(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def history_of(entries: Iterable[dict[str, Any]]) -> History:
    """Return what was spent since somebody last asked for a start.

    A supervisor that only adopts a start begins no new budget.
    """
    history, current = History(), 0
    for entry in entries:
        kind, number = entry["kind"], entry.get("attempt")
        if not isinstance(number, int):
            continue
        if kind == "supervisor" and number > current:
            history = History(first=number)
        elif kind == "attempt":
            current = number
            history = history._replace(began_at=history.began_at or entry.get("time"))
        elif kind == "restart":
            history = history._replace(restarts=history.restarts + 1)
        elif kind == "end" and isinstance(error := entry.get("error"), str):
            failure = Failure(error, entry.get("place"), attempt=number)
            history = history._replace(failures=(*history.failures, failure))
    return history


def failed_starts(history: History, number: int, failure: Failure) -> list[dict[str, Any]]:
    """Return every failed start since somebody last asked for one, the newest last, as JSON data."""
    known = (*history.failures, failure._replace(attempt=number))[-_MOST_STARTS:]
    return [{"attempt": each.attempt, "error": each.error, "place": each.place} for each in known]


def _signature(cause: RootCause) -> str:
    who = "a rank" if cause.who.startswith("rank ") else cause.who
    if _OUT_OF_MEMORY.search(cause.said):
        return f"{who} ran out of memory"
    return f"{who} {cause.how}" + (f": {_VARYING.sub('#', cause.said)}" if cause.said else "")


def _hopeless(cause: RootCause) -> str:
    if cause.told_to_end:
        return f"{cause.who} {cause.how}: somebody asked it to end"
    if cause.exit_code == _WRONG_USE:
        return f"{cause.who} exited with 2: it cannot start from what it was given"
    if cause.exit_code in (_NOT_EXECUTABLE, _NOT_FOUND):
        return f"{cause.who} exited with {cause.exit_code}: its program could not be started"
    if _FIXED_BY_BYTES.match(cause.said):
        return f"the same files give the same error: {cause.said}"
    return ""


def _place(run: RunDir, number: int, lasted_s: float) -> str | None:
    steps = [beat.step for beat in read_heartbeats(run.heartbeats).values() if beat.step is not None]
    step = max(steps, default=None)
    if step is None:
        step = _reported_step(run.events, number)
    if step is None:
        return _BEFORE if lasted_s < _BOOT_LIMIT_S else None
    return f"step {step}"


def _reported_step(events: Path, number: int) -> int | None:
    for line in reversed(read_tail(events, _EVENTS_TAIL_BYTES).split(b"\n")):
        try:
            event = json.loads(line)
            if event["kind"] == "step" and event["attempt"] == number:
                return int(event["step"])
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return None


def started_at(run: RunDir, number: int) -> float:
    """Return when a start's launch file was written, in seconds since the epoch; now where unknown."""
    try:
        return run.attempt(number).launch.stat().st_mtime
    except OSError:
        return time.time()
