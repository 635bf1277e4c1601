"""Harm to files: checkpoints, the journal, what it knows of processes; and disks that are full."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runners.process import identity
from tests.flows.matrix.case import Case
from tests.flows.matrix.kills import kill_all

NEWEST = "step-00000008"
PAUSE_S = 3.0
"""Long enough for a supervisor to try to write several times; a shorter one finds less, and no fault."""


def flip_bytes(case: Case) -> None:
    kill_all(case)
    flip(case.folder / "ckpt" / NEWEST / "__1_0.distcp")


def flip(path: Path) -> None:
    """Change 64 bytes of a shard, which DCP alone would load without an error."""
    body = bytearray(path.read_bytes())
    middle = len(body) // 2
    body[middle : middle + 64] = bytes(byte ^ 1 for byte in body[middle : middle + 64])
    path.write_bytes(body)


def remove_shard(case: Case) -> None:
    kill_all(case)
    (case.folder / "ckpt" / NEWEST / "__1_0.distcp").unlink()


def truncate_shard(case: Case) -> None:
    kill_all(case)
    path = case.folder / "ckpt" / NEWEST / "__0_0.distcp"
    path.write_bytes(path.read_bytes()[:-100])


def tear_manifest(case: Case) -> None:
    kill_all(case)
    path = case.folder / "ckpt" / NEWEST / "manifest.json"
    path.write_text(path.read_text()[:-20])


def tear_journal(case: Case) -> None:
    case.kill("supervisor")
    with open(case.folder / "journal.jsonl", "a") as journal:
        journal.write('{"kind": "end", "sta')
    assert case.status.state == "running"
    case.adopt()
    case.go_on()


def reuse_pids(case: Case) -> None:
    """Another process has the pids now; it started at another time."""
    kill_all(case)
    stranger = case.stack.enter_context(_stranger())
    _name_instead(case, stranger | {"started": stranger["started"] - 1})


def reboot(case: Case) -> None:
    """Another process has the pids and even the start times now, after another boot."""
    kill_all(case)
    stranger = case.stack.enter_context(_stranger())
    _name_instead(case, stranger | {"boot": "of-another-boot"})


@contextmanager
def _stranger() -> Iterator[dict[str, Any]]:
    """A process that nobody may mistake for a part of the run."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]) as process:
        known = identity(process.pid)
        assert known is not None
        try:
            yield known.as_json()
            assert process.poll() is None, "a stranger was hit"
        finally:
            process.kill()


def _name_instead(case: Case, process: dict[str, Any]) -> None:
    """Write this process down in the place of all that the run had."""
    journal = case.folder / "journal.jsonl"
    entries = [json.loads(line) for line in journal.read_text().splitlines()]
    for entry in entries:
        if "process" in entry:
            entry["process"] = process
    journal.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    (case.folder / "attempts" / "0001" / "torchrun.pid").write_text(json.dumps(process))

    # nobody takes it for the job, and neither a cancel nor a reconcile ends it
    assert case.status.state == "lost"
    case.shop.runner.cancel(case.run_id)
    assert [record.run_id for record in case.shop.runner.reconcile()] == [case.run_id]
    case.shop.until(lambda: case.entries("end"))


def fill_disk_of_rank(case: Case) -> None:
    """Rank 1 cannot write a file beyond some bytes in the next save: its shard is larger, its heartbeat is not."""
    case.until_held(0, 1)
    with _no_room_beyond(case.pid("rank 1"), 4096):
        case.go_on()
        case.until_held(0, 1, at="1=step:9")
        case.shop.until(lambda: not (case.folder / "ckpt" / NEWEST).exists())
    case.go_on(at="1=step:9")
    [warning] = case.shop.until(lambda: case.events("warning"))
    assert warning["data"]["code"] == "save_failed"
    assert "rank 1: [Errno 27] File too large" in warning["data"]["message"]


def fill_disk_of_supervisor(case: Case) -> None:
    """The supervisor cannot write a byte anywhere, its own log included, when it has much to write down."""
    journal = case.folder / "journal.jsonl"
    ranks = {case.pid("rank 0"), case.pid("rank 1")}
    before = journal.read_bytes()
    with _no_room_beyond(case.pid("supervisor"), 0):
        case.kill("rank 1")
        case.go_on()
        case.shop.until(lambda: not ranks & set(case.shop.processes()))
        time.sleep(PAUSE_S)
        assert journal.read_bytes() == before
    case.shop.until(lambda: len(journal.read_bytes()) > len(before))


@contextmanager
def _no_room_beyond(pid: int, limit_bytes: int) -> Iterator[None]:
    """A process may write no file beyond a size: the kernel refuses, as on a full disk, to nobody else."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit_bytes, hard))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
