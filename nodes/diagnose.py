"""diagnose: why did it fail? Text and logs that are given are judged; of a run, the first failure is quoted."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.diagnosis import Diagnosis
from contracts.errors import FsdpAgentError
from contracts.settings import Settings
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.first_look import first_look
from engines.diagnosis.reading import read_paths, read_text
from nodes.setting import home_of
from runners import LocalRunner


class Reads(TypedDict, total=False):
    """The request, and the run where one of ours failed."""

    asked: dict[str, Any]
    run: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The Diagnosis, and the changes of the recipe that it calls for."""

    diagnosis: dict[str, Any]
    amendment: dict[str, Any] | None
    phase: str


def diagnose(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Judge what was given, or look at the run's end and its logs."""
    run = state.get("run")
    if not run:
        found = _given(state["asked"])
        return Writes(diagnosis=found.model_dump(mode="json"), amendment=None, phase="done")
    try:
        log = LocalRunner(home_of(runtime)).logs(run["run_id"])
    except FsdpAgentError as error:
        log = f"(no log: {error.message})"
    found = first_look(reason=run.get("reason") or "", log=log, run_dir=run["run_dir"])
    return Writes(diagnosis=found.model_dump(mode="json"), amendment=None, phase="failed")


def _given(asked: dict[str, Any]) -> Diagnosis:
    """Judge the text and the files of a request."""
    paths = tuple(asked.get("paths") or ())
    reading = read_text(asked.get("text") or "", "<request>")
    try:
        read_paths(paths, reading)
    except FsdpAgentError as error:
        reading.skipped.append(error.message)
    if not reading.lines:
        return first_look(paths=paths)
    found = diagnose_text(reading)
    return found.model_copy(update={"needed": (*reading.skipped[:5], *found.needed)})
