"""Takes down where the ranks of a living run are, without stopping it: their stacks and flight recorders."""

import json
from pathlib import Path
from typing import Any

from contracts.errors import InputError
from runners.rundir import RunDir
from runners.supervisor.evidence import take_evidence
from runners.supervisor.sweeping import belonging

_FILE_BYTES_MAX = 1 << 20


def look_at(run_dir: str) -> list[str]:
    """Write what can be seen of a run's processes beside the logs of its newest start, as after a hang.

    Args:
        run_dir: The run folder.

    Returns:
        Names of the files that were written; none where no process of the run is alive.

    Raises:
        InputError: It is no run folder.
    """
    run = RunDir(run_dir)
    submission = _object(run.submission)
    marker = submission.get("marker")
    numbers = [int(path.name) for path in _entries(run.attempts) if path.name.isdecimal()]
    if not isinstance(marker, str) or not marker:
        raise InputError(f"{run_dir} is no run folder: it has no {run.submission.name}")
    if not numbers or not belonging(marker):
        return []
    number = max(numbers)
    launch = _object(run.attempt(number).launch)
    argv = launch.get("argv")
    interpreter = str(argv[0]) if isinstance(argv, list) and argv else "python"
    beats = {int(path.stem): _object(path) for path in _entries(run.heartbeats) if path.stem.isdecimal()}
    return take_evidence(run, number, marker, interpreter, beats)


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _object(path: Path) -> dict[str, Any]:
    """Return a file's JSON object; empty where there is none."""
    try:
        with open(path, "rb") as stream:
            data = json.loads(stream.read(_FILE_BYTES_MAX))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
