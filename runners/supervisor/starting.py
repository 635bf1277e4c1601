"""Start the job: the approved launch, an attempt folder, and the shim."""

import os
import sys
from typing import Any

from contracts.canonical import canonical_json
from contracts.errors import ContentChanged
from runners.environment import filled, job_environment
from runners.files import read_object, write_json
from runners.home import Home
from runners.process import Identity, identity
from runners.rundir import RunDir
from runners.supervisor.commands import shim_command
from runners.supervisor.shim import RESTORED
from runners.verify import verify_launch

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


def approved_launch(run: RunDir) -> dict[str, Any]:
    """Return the launch of a run folder, if exactly this was approved.

    Raises:
        NotAllowed: It was not, or something changed since.
    """
    launch = read_object(run.spec)
    # The very bytes count: what another reader might read differently is not accepted.
    if launch is None or run.spec.read_bytes() != canonical_json(launch):
        raise ContentChanged(f"not what was approved: {run.spec} was edited or cannot be read")
    try:
        key = Home(run.path.parent.parent).secret("approve")
    except (OSError, ValueError) as error:
        raise ContentChanged(f"the approver's secret cannot be read: {error}", code="secret_unreadable") from error
    verify_launch(launch, read_object(run.approval), key)
    return launch


def prepare_attempt(run: RunDir, number: int, launch: dict[str, Any]) -> None:
    """Make the attempt folder and clear away what the start before it left.

    Raises:
        OSError: The run folder cannot be written.
    """
    attempt = run.attempt(number)
    # torch writes its flight recorder there when a collective times out, but makes no folder
    attempt.diagnosis.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
    if number > 1 and run.result.exists():
        run.result.replace(run.attempt(number - 1).old_result)
    run.heartbeats.mkdir(_PRIVATE_FOLDER, exist_ok=True)
    for heartbeat in run.heartbeats.glob("*.json"):
        heartbeat.unlink()
    started = {
        "interpreter": launch["interpreter"],
        "argv": [filled(part, run, number) for part in launch["argv"]],
        "workdir": launch["workdir"],
        "env": launch["env"],
        "env_passed": launch["env_passed"],
        "limits": launch.get("limits"),
    }
    if task := launch.get("task"):  # what a launcher of several nodes starts on each of them
        started["task"] = task
    write_json(attempt.launch, started, durable=False)


def start_shim(run: RunDir, number: int, launch: dict[str, Any], marker: str) -> Identity | None:
    """Start the shim, which starts the launcher; None where it has ended already.

    Raises:
        OSError: It cannot be started.
    """
    attempt = run.attempt(number)
    output = (1, str(attempt.launcher_log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE_FILE)
    pid = os.posix_spawn(
        sys.executable,
        shim_command(attempt.path),
        job_environment(launch, run, number, marker),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, *output),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=RESTORED,
    )
    return identity(pid)
