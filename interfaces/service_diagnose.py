"""Diagnose: why a job failed or hangs, from what is left of it. Nothing is run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from contracts.errors import FileUnreadable, InputError
from contracts.regular import open_regular

if TYPE_CHECKING:
    from contracts.diagnosis import Diagnosis
    from contracts.launch import LaunchRequest
    from contracts.run import RunRecord
    from contracts.settings import Settings
    from engines.diagnosis.clue import Clue

STDIN = "-"
"""Path that stands for standard input."""
STDIN_NAME = "<stdin>"
"""File name of its lines."""

_PLAN_BYTES_MAX = 8 << 20


def diagnose(
    paths: tuple[str, ...],
    stdin: BinaryIO,
    torch: str | None,
    code: tuple[str, ...] = (),
    plan: str | None = None,
    reason: str = "",
) -> "Diagnosis":
    """Return the root causes that what was read speaks for, best first, or `unknown`.

    Args:
        paths: Files, folders, archives, or `-` for standard input.
        stdin: Stream that `-` reads to its end.
        torch: Version of torch that was in use; not considered where None.
        code: The job's code: what a review finds in it counts as evidence.
        plan: A file with the answer of `plan`: what its memory model predicts counts as evidence.
        reason: Why a runner says that it ended.

    Raises:
        FileUnreadable: A path does not exist, or the plan is none.
        InputError: `torch` is no version, or nothing was given to read.
    """
    from packaging.version import InvalidVersion

    from engines.diagnosis.diagnose import diagnose_text
    from engines.diagnosis.reading import read_paths, read_stream, read_text

    reading = read_text(reason, "<runner>")
    for path in dict.fromkeys(paths):
        if path == STDIN:
            read_stream(stdin, STDIN_NAME, reading)
        else:
            read_paths((path,), reading)
    if not (reading.lines or reading.recordings or reading.stacks):
        seen = "; ".join(reading.skipped[:3]) or "empty"
        raise InputError(
            f"no text was found in {', '.join(paths)} ({seen})", hint="give logs, a traceback or a sentence"
        )
    try:
        return diagnose_text(reading, torch, clues=_clues(code, plan, torch))
    except InvalidVersion:
        raise InputError(f"--torch {torch!r} is no version", hint="such as 2.8") from None


def diagnose_run(settings: "Settings", run_id: str, torch: str | None) -> "Diagnosis":
    """Return why a run of ours failed or hangs, from its folder and from a review of its own script.

    Of a run that is still alive the stacks of its ranks are taken first. One that did not fail has no cause.

    Raises:
        FsdpAgentError: There is no such run.
    """
    import io

    from contracts.run import TERMINAL_STATES
    from interfaces.service_jobs import open_runner
    from runners import look_at

    runner = open_runner(settings)
    record = runner.status(run_id)
    if record.state in ("done", "cancelled"):
        return _nothing_failed(record)
    if record.state not in TERMINAL_STATES:
        look_at(record.run_dir)
    code = _scripts(runner.launch(run_id))
    return diagnose((record.run_dir,), io.BytesIO(), torch, code=code, reason=record.reason)


def _nothing_failed(record: "RunRecord") -> "Diagnosis":
    from contracts.diagnosis import Diagnosis

    steps = f" at step {record.step}" if record.step is not None else ""
    ended = "finished" if record.state == "done" else "was cancelled"
    said = f": {record.reason}" if record.reason else ""
    return Diagnosis(verdict="no_failure", remark=f"run {record.run_id} {ended}{steps}{said}")


def _scripts(launch: "LaunchRequest | None") -> tuple[str, ...]:
    """Return the scripts of a run that are still what was approved: another file would explain nothing."""
    from contracts.canonical import file_sha256

    found = []
    for entry in launch.inputs if launch is not None and launch.kind == "script" else ():
        try:
            if entry.role == "script" and file_sha256(Path(entry.path)) == entry.sha256:
                found.append(entry.path)
        except OSError:
            continue
    return tuple(found)


def _clues(code: tuple[str, ...], plan: str | None, torch: str | None) -> list["Clue"]:
    from engines.diagnosis.context import clues_of_findings, clues_of_memory

    clues: list[Clue] = []
    if code:
        from engines.review.engine import review_paths

        clues += clues_of_findings(review_paths(code, torch).findings)
    if plan is not None:
        clues += clues_of_memory(_plan(plan), plan)
    return clues


def _plan(path: str) -> dict[str, Any]:
    import json

    try:
        with open_regular(path) as stream:
            data = json.loads(stream.read(_PLAN_BYTES_MAX))
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileUnreadable(f"{path} is no JSON: {error}", hint="the output of fsdp-agent plan ... --json") from None
    if not isinstance(data, dict) or not isinstance(data.get("memory"), dict):
        raise FileUnreadable(f"{Path(path).name} holds no plan", hint="the output of fsdp-agent plan ... --json")
    return data
