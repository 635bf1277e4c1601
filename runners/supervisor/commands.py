"""Command lines of our processes, the standard library alone in reach."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

_MAIN = Path(__file__).with_name("__main__.py").resolve()

Mode = Literal["start", "close"]
"""start: start the given number unless it was started before; close: start nothing, only
see through what was started."""


def supervisor_command(mode: Mode, run_dir: Path, number: int) -> list[str]:
    """Return the command line of a supervisor for start `number`, counted from 1."""
    return [sys.executable, "-I", "-S", str(_MAIN), mode, str(run_dir), str(number)]


def shim_command(attempt_dir: Path) -> list[str]:
    """Return the command line of a shim."""
    return [sys.executable, "-I", "-S", str(_MAIN), "shim", str(attempt_dir)]


def send_caller(run_dir: Path) -> None:
    """Start the process that tells the server of a run's end, where a server said where to; wait for nothing.

    Args:
        run_dir: The run folder; the home folder is two above it.
    """
    if not (run_dir.parents[1] / "callback.json").exists():
        return
    subprocess.Popen(
        [sys.executable, "-I", "-S", str(_MAIN), "call", str(run_dir)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath},
        start_new_session=True,
    )
