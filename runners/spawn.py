"""Send a supervisor to a run folder, and hear whether it arrived."""

import json
import subprocess
from typing import Any

from contracts.errors import RunFolderUnwritable, RunnerError
from runners.environment import passed
from runners.files import read_object
from runners.rundir import RunDir
from runners.supervisor.commands import supervisor_command

_ARRIVAL_LIMIT_S = 60.0


def send_supervisor(run: RunDir, number: int, *, may_start: bool) -> None:
    """Start a detached supervisor that sees start `number` through.

    Returns when the run is in a supervisor's hands, this one's or another's.

    Raises:
        RunFolderUnwritable: It cannot write the run folder; nothing was started.
        RunnerError: It did not come up.
    """
    launch = read_object(run.spec) or {}
    names = launch.get("env_passed")
    known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    try:
        done = subprocess.run(
            supervisor_command("start" if may_start else "close", run.path, number),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=passed(known),
            start_new_session=True,
            timeout=_ARRIVAL_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RunnerError(f"the supervisor of {run.run_id} did not answer within {_ARRIVAL_LIMIT_S:.0f} s") from error
    except OSError as error:
        raise RunnerError(f"the supervisor of {run.run_id} could not be started: {error.strerror}") from error
    answer = _answer(done.stdout)
    if answer is None:
        words = done.stdout.decode("utf-8", "replace")[-500:].strip()
        raise RunnerError(f"the supervisor of {run.run_id} could not be started: {words}")
    if not answer.get("ok"):
        raise RunFolderUnwritable(f"the supervisor cannot work in the run folder: {answer.get('error')}")


def _answer(output: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(output.strip().rpartition(b"\n")[2])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
