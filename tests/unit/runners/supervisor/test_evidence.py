"""Evidence of a real process; in the place of py-spy stands a program that tells how it was called."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runners.rundir import RunDir
from runners.supervisor import evidence
from runners.supervisor.evidence import take_evidence

MARKER = "r-0123456789ab.of-this-test"


@pytest.fixture
def rank() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is rank 3 of a run and has no handler for the two signals."""
    env = {**os.environ, "RANK": "3", "FSDP_RUN_MARKER": f"{MARKER}.{os.getpid()}"}
    with subprocess.Popen(
        [sys.executable, "-c", "print('up', flush=True); input()"], env=env, stdin=-1, stdout=-1
    ) as p:
        assert p.stdout is not None
        p.stdout.readline()
        yield p
        p.kill()


def _take(folder: Path) -> list[str]:
    run = RunDir(folder / "run")
    run.attempt(1).path.mkdir(parents=True)
    return take_evidence(run, 1, f"{MARKER}.{os.getpid()}", str(folder / "bin" / "python"), {0: {"age_s": 5.0}})


def _tool(folder: Path, body: str) -> None:
    (folder / "bin").mkdir()
    (folder / "bin" / "py-spy").write_text(f"#!{sys.executable}\n{body}\n")
    (folder / "bin" / "py-spy").chmod(0o755)


def test_py_spy_beside_the_interpreter_is_asked_for_each_rank(tmp_path: Path, rank: subprocess.Popen[bytes]) -> None:
    _tool(tmp_path, "import sys; print(sys.argv[1:])")
    names = _take(tmp_path)
    assert f"rank-3-{rank.pid}.pyspy.txt" in names
    diag = RunDir(tmp_path / "run").attempt(1).diagnosis
    said = (diag / f"rank-3-{rank.pid}.pyspy.txt").read_text()
    assert said == f"['dump', '--nonblocking', '--pid', '{rank.pid}']\n"
    assert f"Pid:\t{rank.pid}\n" in (diag / f"rank-3-{rank.pid}.proc.txt").read_text()
    # no handler: it was not signalled
    assert rank.poll() is None


def test_a_tool_that_hangs_is_not_waited_for(
    tmp_path: Path, rank: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "_TOOL_S", 0.3)
    _tool(tmp_path, "import time; time.sleep(600)")
    began = time.monotonic()
    assert "heartbeats.json" in _take(tmp_path)
    assert time.monotonic() - began < 60


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    run.attempt(1).path.mkdir(parents=True)
    run.attempt(1).diagnosis.write_text("in the way")
    assert take_evidence(run, 1, MARKER, sys.executable, {}) == []


def test_addresses_are_readable() -> None:
    # /proc/net/tcp holds the address in the byte order of the machine (little-endian here), proc(5)
    assert evidence._address("0100007F:1F90") == "127.0.0.1:8080"
