"""diagnose: why did it fail? Text, logs and a run's folder are judged; the plan and the review count as evidence."""

from typing import Any, TypedDict

from contracts.diagnosis import Diagnosis
from contracts.errors import FsdpAgentError
from contracts.finding import Finding
from engines.diagnosis.clue import Clue
from engines.diagnosis.context import clues_of_findings, clues_of_memory
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.first_look import first_look
from engines.diagnosis.reading import read_paths, read_text

_SKIPPED_TOLD = 5


class Reads(TypedDict, total=False):
    """The request, the run where one of ours failed, and what is known besides."""

    asked: dict[str, Any]
    run: dict[str, Any] | None
    plan: dict[str, Any] | None
    findings: list[dict[str, Any]]


class Writes(TypedDict, total=False):
    """The Diagnosis, and the changes of the recipe that it calls for."""

    diagnosis: dict[str, Any]
    amendment: dict[str, Any] | None
    phase: str


def diagnose(state: Reads) -> Writes:
    """Judge what was given, or the folder of the run that failed."""
    run = state.get("run")
    if run:
        return Writes(diagnosis=_of_run(run, _clues(state)).model_dump(mode="json"), amendment=None, phase="failed")
    return Writes(diagnosis=_given(state["asked"], _clues(state)).model_dump(mode="json"), amendment=None, phase="done")


def _clues(state: Reads) -> list[Clue]:
    """Return what the review found and the memory model predicted."""
    findings = [Finding.model_validate(found) for found in state.get("findings") or ()]
    return [*clues_of_findings(findings), *clues_of_memory(state.get("plan") or {}, "<plan>")]


def _of_run(run: dict[str, Any], clues: list[Clue]) -> Diagnosis:
    """Judge a run by its folder and by why the runner says that it ended."""
    reason, folder = run.get("reason") or "", run["run_dir"]
    reading = read_text(reason, "<runner>")
    try:
        read_paths((folder,), reading)
    except FsdpAgentError as error:
        reading.skipped.append(error.message)
    if not reading.lines:
        return first_look(reason=reason, run_dir=folder)
    found = diagnose_text(reading, clues=clues)
    update = {"first_failure": found.first_failure or reason or None}
    if found.verdict == "unknown":
        update["needed"] = (f"all rank logs: {folder}", *found.needed[:2])
    return found.model_copy(update=update)


def _given(asked: dict[str, Any], clues: list[Clue]) -> Diagnosis:
    """Judge the text and the files of a request."""
    paths = tuple(asked.get("paths") or ())
    reading = read_text(asked.get("text") or "", "<request>")
    try:
        read_paths(paths, reading)
    except FsdpAgentError as error:
        reading.skipped.append(error.message)
    if not (reading.lines or reading.recordings or reading.stacks):
        return first_look(paths=paths)
    found = diagnose_text(reading, clues=clues)
    return found.model_copy(update={"needed": (*reading.skipped[:_SKIPPED_TOLD], *found.needed)})
