"""Which environment variables a job sees: named ones, and the few without which little works.

Standard library only. Values of passed variables travel from process to process and are
never written to a file.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from runners.process import MARKER_VARIABLE
from runners.rundir import RunDir

BASE_NAMES = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "LOGNAME")
"""Variables that every job gets, where they are set."""


def passed(names: Iterable[str], source: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the base variables and the named ones, with their values where they are set."""
    source = os.environ if source is None else source
    return {name: source[name] for name in (*BASE_NAMES, *names) if name in source}


def job_environment(launch: dict[str, Any], run: RunDir, number: int, marker: str) -> dict[str, str]:
    """Return all variables that start `number` of a job sees.

    Args:
        launch: The approved LaunchRequest as plain JSON data.
        run: The run folder (FSDP_RUN_DIR, FSDP_RUN_ID).
        number: Start, counted from 1 (FSDP_ATTEMPT).
        marker: What the run's processes are known by.
    """
    own = {
        "FSDP_RUN_DIR": str(run.path),
        "FSDP_RUN_ID": run.run_id,
        "FSDP_ATTEMPT": str(number),
        MARKER_VARIABLE: marker,
    }
    constants = {name: filled(value, run, number) for name, value in launch["env"].items()}
    return passed(launch["env_passed"]) | constants | own


def filled(part: str, run: RunDir, number: int) -> str:
    """Return an argument or a variable's value with the place holders of start `number` filled in."""
    return part.replace("{run_dir}", str(run.path)).replace("{attempt_dir}", str(run.attempt(number).path))
