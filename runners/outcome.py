"""How a start of the job ended, read from what its processes left behind.

The supervisor uses it when it writes the end, and a client when no supervisor lived to
do so. Standard library only.
"""

import re
import signal
from pathlib import Path
from typing import NamedTuple

from runners.cleaning import printable
from runners.files import read_object, read_tail
from runners.rank_logs import rank_files
from runners.redacting import redactor_of
from runners.rundir import AttemptDir, RunDir
from runners.verify import BUNDLED_KINDS

_LOG_TAIL_BYTES = 256 << 10
_REASON_LIMIT_CHARS = 500
_RESULT_LIMIT_BYTES = 1 << 20
_FIRST_FAILURE = "Root Cause (first observed failure):"
_RANK = re.compile(r"^\s*rank\s*:\s*(\d+)", re.MULTILINE)
_EXIT = re.compile(r"^\s*exitcode\s*:\s*(-?\d+)", re.MULTILINE)
_LAUNCHER_SIGNAL = re.compile(r"SignalException: Process \d+ got signal: (\d+)")
_SRUN_TASK = re.compile(
    r"^srun: error: (?P<node>\S+): tasks? (?P<task>\d+)\S*: (?:Exited with exit code (?P<code>\d+)|(?P<signal>[A-Z].*?)"
    r"(?: \(core dumped\))?)$",
    re.MULTILINE,
)
_SRUN_SIGNALS = {"Killed": 9, "Terminated": 15, "Segmentation fault": 11, "Aborted": 6, "Bus error": 7}
"""As srun names them."""
_OF_SRUN = re.compile(r"^(?:srun|slurmstepd): ")
_RANK_PREFIX = re.compile(r"^\[rank\d+\]:\s?")
_REQUESTS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals by which a person or the system asks a process to end."""
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b")


class Outcome(NamedTuple):
    """The end of one start."""

    state: str
    """done, failed, cancelled or lost."""
    exit_code: int | None
    """Exit status of the launcher; negative: killed by that signal; None: unknown."""
    reason: str
    """Why, for a person."""


def exit_code_of(attempt: AttemptDir) -> int | None:
    """Return the launcher's exit status as the shim wrote it; None where it did not."""
    code = (read_object(attempt.exit) or {}).get("exit_code")
    return code if isinstance(code, int) else None


def outcome_of(run: RunDir, attempt: AttemptDir, kind: str, exit_code: int | None, *, stopping: bool) -> Outcome:
    """Return how a start ended.

    Args:
        run: The run folder.
        attempt: The start.
        kind: Job kind; a job of ours that did its work has written a result.
        exit_code: Exit status of the launcher; None where nobody knows it.
        stopping: Whether the run was asked to stop.
    """
    result = read_object(run.result, _RESULT_LIMIT_BYTES) or {}
    status = result.get("status")
    if status == "done" or (exit_code == 0 and not stopping and status is None and kind not in BUNDLED_KINDS):
        return Outcome("done", exit_code, "" if not exit_code else f"finished; the launcher then {_ended(exit_code)}")
    if stopping:
        how = "stopped after trial" if kind == "trials" else "saved and stopped at step"
        saved = f"{how} {result.get('steps')}" if status == "stopped" else _ended(exit_code)
        return Outcome("cancelled", exit_code, printable(f"cancelled: the job {saved}", _REASON_LIMIT_CHARS))
    if status == "stopped":
        how = "was done with trial" if kind == "trials" else "saved step"
        words = f"stopped by a signal after it {how} {result.get('steps')}; a resume goes on from there"
        return Outcome("failed", exit_code, printable(words, _REASON_LIMIT_CHARS))
    if exit_code is None:
        return Outcome("lost", None, "its processes are gone and nobody recorded how they ended")
    if exit_code == 0:
        return Outcome("failed", 0, "the launcher exited with 0, but the job wrote no result")
    return Outcome("failed", exit_code, printable(_failure(attempt, exit_code), _REASON_LIMIT_CHARS))


class RootCause(NamedTuple):
    """What failed first in a start."""

    who: str
    """"rank 3", or "the launcher"."""
    exit_code: int
    """Its exit status; negative: ended by that signal."""
    how: str
    """The same in words."""
    said: str
    """Its last words, such as the exception; empty where there are none."""
    told_to_end: bool = False
    """Whether the launcher was asked to end by a signal, which is no failure of the job."""


def root_cause(attempt: AttemptDir, exit_code: int) -> RootCause:
    """Return what failed first; its words are redacted, for they are recorded and shown.

    Args:
        attempt: The start.
        exit_code: Exit status of the launcher.
    """
    # before anything is cut: half a secret would not be known for one
    redactor = redactor_of(RunDir(attempt.path.parent.parent))
    log = redactor.text(read_tail(attempt.launcher_log, _LOG_TAIL_BYTES).decode("utf-8", "replace"))
    _, found, cause = log.rpartition(_FIRST_FAILURE)
    rank, code = _RANK.search(cause), _EXIT.search(cause)
    if found and rank and code:
        # a signal leaves no last words; what stands in the log is older
        said = "" if int(code[1]) < 0 else _last_words(redactor.text(_rank_stderr(attempt, rank[1])))
        return RootCause(f"rank {rank[1]}", int(code[1]), _ended(int(code[1])), said)
    if received := _LAUNCHER_SIGNAL.search(log):
        number = int(received[1])
        return RootCause("the launcher", -number, f"was stopped by {_signal_name(number)}", "", told_to_end=True)
    if (task := _SRUN_TASK.search(log)) and exit_code > 0:
        code_of_task = int(task["code"]) if task["code"] else -_SRUN_SIGNALS.get(task["signal"], 0)
        if code_of_task:
            said = "" if code_of_task < 0 else _last_words(log)
            return RootCause(f"the launcher on node {task['node']}", code_of_task, _ended(code_of_task), said)
    said = "" if exit_code < 0 else _last_words(log)
    return RootCause("the launcher", exit_code, _ended(exit_code), said, told_to_end=-exit_code in _REQUESTS)


def _failure(attempt: AttemptDir, exit_code: int) -> str:
    cause = root_cause(attempt, exit_code)
    words = f"{cause.who} {cause.how}"
    return f"{words}: {cause.said}" if cause.said else words


def _rank_stderr(attempt: AttemptDir, rank: str) -> str:
    logs = [path for number, path in rank_files(attempt, "stderr.log") if number == int(rank)]
    return read_tail(logs[-1], _LOG_TAIL_BYTES).decode("utf-8", "replace") if logs else ""


def _last_words(log: str) -> str:
    spoken = (raw for raw in log.splitlines() if not _OF_SRUN.match(raw))
    lines = [line for raw in spoken if (line := _RANK_PREFIX.sub("", printable(raw))).strip()]
    raised = [line for line in lines if _EXCEPTION.match(line)]
    return (raised or lines or [""])[-1].strip()


def _ended(exit_code: int | None) -> str:
    if exit_code is None:
        return "ended in an unknown way"
    return f"killed by {_signal_name(-exit_code)}" if exit_code < 0 else f"exited with {exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def read_result(path: Path) -> dict[str, object]:
    """Return the job's own word on its end; empty where it wrote none."""
    return dict(read_object(path, _RESULT_LIMIT_BYTES) or {})
