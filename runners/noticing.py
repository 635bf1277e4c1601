"""What a journal holds that a person should see, in words."""

from collections.abc import Iterable
from typing import Any, get_args

from contracts.notice import Notice, NoticeKind
from runners.cleaning import printable

_LIMIT_CHARS = 600
_WATCHED = {
    "heartbeats": "it gives heartbeats: a rank that stands still is noticed",
    "logs": "it gives no heartbeat: only logs that stop growing are noticed",
    "nothing": "it gives no heartbeat and its logs are not watched: a hang is not noticed",
}
_SHOWN_NODES = 16
_KINDS = frozenset(get_args(NoticeKind))


def notices_of(entries: Iterable[dict[str, Any]]) -> list[Notice]:
    """Return the notices of a journal, in the order in which they were written."""
    found: list[Notice] = []
    seen_supervisor = 0
    for entry in entries:
        kind, attempt, moment = entry["kind"], entry.get("attempt"), entry.get("time")
        if not isinstance(attempt, int) or not isinstance(moment, int | float):
            continue
        if kind == "supervisor" and "job_id" in entry:
            kind = "placed"
        elif kind == "supervisor":
            kind = "adopted" if attempt <= seen_supervisor else kind
            seen_supervisor = max(attempt, seen_supervisor)
        elif kind == "restart":
            seen_supervisor = max(attempt, seen_supervisor)
        words = _words(kind, entry) if kind in _KINDS else ""
        if words:
            message = printable(words, _LIMIT_CHARS)
            found.append(Notice(kind=kind, time=float(moment), attempt=max(1, attempt), message=message))
    return found


def _words(kind: str, entry: dict[str, Any]) -> str:
    reason = str(entry.get("reason", ""))
    match kind:
        case "placed":
            nodes = entry.get("nodes")
            named = [str(name) for name in nodes[:_SHOWN_NODES]] if isinstance(nodes, list) else []
            more = f" and {len(nodes) - len(named)} more" if isinstance(nodes, list) and len(nodes) > len(named) else ""
            return f"Slurm job {entry.get('job_id')} has {', '.join(named)}{more}"
        case "adopted":
            return "another supervisor took the job over"
        case "warning" | "straggler":
            return str(entry.get("message", ""))
        case "watched":
            return _WATCHED.get(str(entry.get("by")), "")
        case "hang":
            files = entry.get("evidence")
            return f"{reason}; {len(files) if isinstance(files, list) else 0} files of evidence were taken"
        case "restart":
            pause_s = entry.get("pause_s")
            return reason + (f", in {pause_s:.0f} s" if isinstance(pause_s, int | float) and pause_s >= 1 else "")
        case "give_up":
            return f"not restarted: {reason}"
        case "stopping" | "ending":
            return _stop_words(kind, entry)
        case _:
            return reason


def _stop_words(kind: str, entry: dict[str, Any]) -> str:
    """Return the words of a step of a stop; what hangs is asked and told to end in one move."""
    step = entry.get("step")
    if step == "asked":
        return f"asked to stop by {entry.get('by', 'somebody')}" if kind == "stopping" else ""
    return {"term": "told to end (SIGTERM)", "kill": "did not end: killed (SIGKILL)"}.get(str(step), "")
