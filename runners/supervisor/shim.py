"""The shim between supervisor and launcher: it knows one pid and leaves one exit status.

It outlives the supervisor, so that the exit status of a job whose supervisor was killed
is still recorded.
"""

import os
import signal
import time
from pathlib import Path
from typing import Any

from runners.files import read_object, write_json
from runners.journal import fold, read_journal
from runners.process import identity
from runners.rundir import AttemptDir, RunDir
from runners.supervisor.complaining import complain
from runners.supervisor.limiting import set_limits

_NOT_STARTED = 127
"""Exit status that a shell gives for a command that cannot be started."""
_PID_TRIES, _EXIT_TRIES = 3, 600
_WRITE_PAUSE_S = 1.0
_HEEDLESS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
RESTORED = (signal.SIGPIPE, signal.SIGXFSZ, *_HEEDLESS)
"""Signals that a started process meets with their default action."""


def run_launcher(attempt_dir: str) -> int:
    """Start what launch.json says, record its pid, wait, record its exit status."""
    attempt = AttemptDir(Path(attempt_dir))
    for number in _HEEDLESS:
        # A handler, not SIG_IGN: what is ignored stays ignored in the launcher.
        signal.signal(number, lambda *_: None)
    launch = read_object(attempt.launch)
    assert launch is not None, "the supervisor writes launch.json before it starts the shim"
    if not _is_wanted(attempt):
        complain(f"start {attempt.path.name} is over or another has begun: nothing is started")
        return 0
    pid = _start(launch)
    if pid is None:
        code = _NOT_STARTED
    else:
        process = identity(pid)
        if process is not None:  # else it has ended already
            _insist(attempt.launcher, process.as_json(), _PID_TRIES, durable=False)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _insist(attempt.exit, {"exit_code": code, "time": time.time()}, _EXIT_TRIES, durable=True)
    return 0


def _is_wanted(attempt: AttemptDir) -> bool:
    """Tell whether the journal still awaits this very start.

    Between the fork of this process and its first instruction its supervisor may have been
    killed, and another may have closed the start: it has no marker until then, and no sweep finds it.
    """
    standing = fold(read_journal(RunDir(attempt.path.parent.parent).journal))
    return standing.state is None and f"{standing.attempt:04d}" == attempt.path.name


def _start(launch: dict[str, Any]) -> int | None:
    try:
        os.chdir(launch["workdir"])
        set_limits(launch.get("limits") or {})
        return os.posix_spawn(
            launch["interpreter"],
            [launch["interpreter"], *launch["argv"]],
            os.environ,
            setsid=True,
            setsigmask=(),
            setsigdef=RESTORED,
        )
    except OSError as error:
        complain(f"cannot start {launch['interpreter']} in {launch['workdir']}: {error.strerror}")
        return None


def _insist(path: Path, value: Any, tries: int, *, durable: bool) -> None:
    """Write a file, and keep trying for a while where the disk is full."""
    for _ in range(tries):
        try:
            return write_json(path, value, durable=durable)
        except OSError as error:
            complain(f"cannot write {path.name}: {error.strerror}; trying again")
            time.sleep(_WRITE_PAUSE_S)
    return None
