"""Command lines of the two processes of ours, the standard library alone in reach."""

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
