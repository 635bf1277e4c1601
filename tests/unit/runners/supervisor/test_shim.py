"""A shim starts what the journal awaits, and nothing else."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runners.rundir import AttemptDir, RunDir
from runners.supervisor.commands import shim_command

BEGUN = [{"kind": "supervisor", "attempt": 1}, {"kind": "attempt", "attempt": 1}]
LOST = {"kind": "end", "attempt": 1, "state": "lost"}


def _attempt(folder: Path, entries: list[dict[str, object]], program: str = "pass") -> AttemptDir:
    run = RunDir(folder / "r-0123456789ab")
    attempt = run.attempt(1)
    attempt.path.mkdir(parents=True)
    run.journal.write_text("".join(json.dumps({"time": 1.0, **entry}) + "\n" for entry in entries))
    launch = {"interpreter": sys.executable, "argv": ["-c", program], "workdir": str(folder)}
    attempt.launch.write_text(json.dumps(launch))
    return attempt


def _exit_code(attempt: AttemptDir) -> int | None:
    return json.loads(attempt.exit.read_text())["exit_code"] if attempt.exit.exists() else None


@pytest.mark.parametrize(
    ("program", "code"), [("import sys; sys.exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9)]
)
def test_it_records_pid_and_exit_status(tmp_path: Path, program: str, code: int) -> None:
    attempt = _attempt(tmp_path, BEGUN, program)
    assert subprocess.run(shim_command(attempt.path)).returncode == 0
    assert _exit_code(attempt) == code


@pytest.mark.parametrize(
    "later", [[LOST], [LOST, {"kind": "supervisor", "attempt": 2}, {"kind": "attempt", "attempt": 2}]]
)
def test_one_that_comes_too_late_starts_nothing(tmp_path: Path, later: list[dict[str, object]]) -> None:
    started = tmp_path / "started"
    attempt = _attempt(tmp_path, [*BEGUN, *later], f"open({str(started)!r}, 'w')")
    done = subprocess.run(shim_command(attempt.path), capture_output=True, text=True)
    assert done.returncode == 0
    assert "nothing is started" in done.stderr
    assert not started.exists()
    assert not attempt.launcher.exists()
    assert _exit_code(attempt) is None


def test_told_to_end_it_goes_on(tmp_path: Path) -> None:
    attempt = _attempt(tmp_path, BEGUN, "import sys; sys.stdin.read(); sys.exit(3)")
    with subprocess.Popen(shim_command(attempt.path), stdin=subprocess.PIPE) as shim:
        while not attempt.launcher.exists():
            assert shim.poll() is None
        os.kill(shim.pid, signal.SIGTERM)
        assert shim.stdin is not None
        shim.stdin.close()
        assert shim.wait() == 0
    assert _exit_code(attempt) == 3
