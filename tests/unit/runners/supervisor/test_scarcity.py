"""Warnings of scarcity: the machine's own numbers against limits that it cannot or must meet."""

import shutil
from pathlib import Path

import pytest

from runners.journal import read_journal
from runners.rundir import RunDir
from runners.supervisor.recorder import Recorder
from runners.supervisor.scarcity import Limits, Scarcity

ENDLESS_GIB = 1e12


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path)


def _look(run: RunDir, limits: Limits, times: int = 1) -> list[dict]:
    watch = Scarcity(run, 3, Recorder(run), limits)
    for _ in range(times):
        watch._looked_at = float("-inf")  # ten seconds later
        watch.look()
    return read_journal(run.journal)


def test_each_resource_is_warned_of_once(run: RunDir) -> None:
    entries = _look(run, Limits(ENDLESS_GIB, ENDLESS_GIB, ENDLESS_GIB, share=2.0), times=3)
    assert [entry["resource"] for entry in entries] == ["memory", "shared_memory", "disk"]
    assert {(entry["kind"], entry["attempt"]) for entry in entries} == {("warning", 3)}
    whole = shutil.disk_usage(run.path).total
    assert entries[2]["whole_bytes"] == whole
    lines = Path("/proc/meminfo").read_text().splitlines()
    memory_kib = next(int(line.split()[1]) for line in lines if line.startswith("MemTotal"))
    assert 0 < entries[0]["free_bytes"] <= entries[0]["whole_bytes"] <= memory_kib * 1024


def test_enough_is_no_warning(run: RunDir) -> None:
    assert _look(run, Limits(0, 0, 0)) == []


def test_a_disk_on_which_the_next_checkpoint_does_not_fit(run: RunDir) -> None:
    saved = run.path / "ckpt" / "step-00000005"
    saved.mkdir(parents=True)
    (saved / "manifest.json").write_text("{}")
    with open(saved / "huge", "wb") as stream:
        stream.truncate(shutil.disk_usage(run.path).free + (1 << 30))  # sparse: takes nothing
    [entry] = _look(run, Limits(0, 0, 0))
    assert (entry["resource"], "another does not fit" in entry["message"]) == ("disk", True)
