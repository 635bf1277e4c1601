"""diagnose: why did it fail? First version: the first failure seen, and what to collect."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.errors import FsdpAgentError
from contracts.settings import Settings
from engines.diagnosis.first_look import first_look
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
    """Look at the run's end and its logs; a cause is not named before one can be proved."""
    run = state.get("run")
    if not run:
        found = first_look(paths=tuple(state["asked"].get("paths") or ()))
        return Writes(diagnosis=found.model_dump(mode="json"), amendment=None, phase="done")
    try:
        log = LocalRunner(home_of(runtime)).logs(run["run_id"])
    except FsdpAgentError as error:
        log = f"(no log: {error.message})"
    found = first_look(reason=run.get("reason") or "", log=log, run_dir=run["run_dir"])
    return Writes(diagnosis=found.model_dump(mode="json"), amendment=None, phase="failed")
