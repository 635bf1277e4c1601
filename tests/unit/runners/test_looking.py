"""A living run is looked at: two real processes as ranks, one waits in a collective, one in its loader."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import InputError
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_paths
from runners import look_at
from runners.rundir import RunDir
from runners.supervisor.evidence import STACK_SIGNAL

RANK = """
import faulthandler, sys, time
sys.path.insert(0, sys.argv[3])
faulthandler.register({signal}, file=open(sys.argv[1], "w"), all_threads=True)
from torch.distributed.distributed_c10d import all_reduce
def load_batch():
    print("up", flush=True)
    time.sleep(600)
def train_step():
    load_batch() if sys.argv[2] == "1" else all_reduce()
train_step()
"""
STAND_IN = """
import time
def all_reduce():
    print("up", flush=True)
    time.sleep(600)
"""
"""Stands where torch's own module does, so that the frames look alike without a real group."""


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = RunDir(tmp_path / "r-0123456789ab")
    run.attempt(2).path.mkdir(parents=True)
    run.attempt(2).diagnosis.mkdir()
    run.submission.write_text(json.dumps({"marker": f"r-0123456789ab.{os.getpid()}"}))
    run.attempt(2).launch.write_text(json.dumps({"argv": [sys.executable, "train.py"]}))
    for name in ("spec.json", "journal.jsonl"):
        (run.path / name).write_text("{}\n")
    return run


@pytest.fixture
def ranks(run: RunDir, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    package = tmp_path / "lib" / "torch" / "distributed"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "distributed_c10d.py").write_text(STAND_IN)
    script = tmp_path / "train.py"
    script.write_text(RANK.format(signal=STACK_SIGNAL))
    started = []
    for rank in ("0", "1"):
        stacks = run.attempt(2).diagnosis / f"stack-{rank}.txt"
        env = {**os.environ, "RANK": rank, "FSDP_RUN_MARKER": f"r-0123456789ab.{os.getpid()}"}
        argv = [sys.executable, str(script), str(stacks), rank, str(tmp_path / "lib")]
        process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()
    yield started
    for process in started:
        process.kill()
        process.wait()


def test_the_stacks_of_a_living_run_show_who_is_waited_for(run: RunDir, ranks: list[subprocess.Popen[bytes]]) -> None:
    names = look_at(str(run.path))
    assert {"stack-0.txt", "stack-1.txt"} <= set(names)
    assert all(process.poll() is None for process in ranks), "it was looked at, not stopped"
    found = diagnose_text(read_paths([str(run.path)]))
    assert found.hang is not None
    assert (found.hang.kind, found.hang.culprits) == ("behind", ("1",))
    assert found.hang.stands_at is not None
    assert found.hang.stands_at.startswith("load_batch (")
    assert found.causes[0].cause == "one-rank-waits-for-data"


def test_of_a_run_that_has_ended_nothing_is_taken(run: RunDir) -> None:
    assert look_at(str(run.path)) == []


def test_what_is_no_run_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run folder"):
        look_at(str(tmp_path))
