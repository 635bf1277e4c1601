"""A log that grows beyond its limit loses its middle, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from runners.rundir import RunDir
from runners.supervisor.logkeeping import LogKeeper

MIB = 1 << 20


class Notes:
    """Stands for the journal: what is noted is kept in memory."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def note(self, kind: str, **facts: Any) -> None:
        self.entries.append({"kind": kind, **facts})


@pytest.fixture
def notes() -> Notes:
    return Notes()


def keeper(tmp_path: Path, notes: Notes, limit_mib: float | None = 4) -> LogKeeper:
    attempt = RunDir(tmp_path).attempt(1)
    attempt.path.mkdir(parents=True)
    limits = {} if limit_mib is None else {"log_gib": limit_mib / 1024}
    return LogKeeper(attempt, 1, notes, {"limits": limits})  # type: ignore[arg-type]


def write(path: Path, mib: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        for number in range(mib * 1024):
            stream.write(b"%07d " % number + b"x" * 1015 + b"\n")


def test_head_and_tail_stay_and_the_writer_goes_on(tmp_path: Path, notes: Notes) -> None:
    kept = keeper(tmp_path, notes)
    log = RunDir(tmp_path).attempt(1).launcher_log
    write(log, 16)
    with log.open("ab") as writer:
        for _ in range(2):
            kept.look()
            assert log.stat().st_blocks * 512 < 5 * MIB
            writer.write(b"and on\n")
            writer.flush()
    content = log.read_bytes()
    assert len(content) == 16 * MIB + 14
    assert content.startswith(b"0000000 x")
    assert content.endswith(b"and on\nand on\n")
    assert content[MIB - 1024 : MIB].startswith(b"0001023 x")  # the first quarter of the limit, whole
    assert content[15 * MIB : 15 * MIB + 9] == b"0015360 x"  # and the last
    assert content.count(b"the middle of this log was dropped: it grew beyond 0.00391 GiB") == 1
    assert content[8 * MIB : 9 * MIB] == bytes(MIB)
    [entry] = notes.entries
    assert entry["message"] == "log torchrun.log grew beyond 0.00391 GiB: its middle was dropped"


def test_logs_of_ranks_are_kept_too_and_a_short_one_stays_whole(tmp_path: Path, notes: Notes) -> None:
    kept = keeper(tmp_path, notes)
    ranks = RunDir(tmp_path).attempt(1).rank_logs / "id" / "attempt_0"
    write(ranks / "0" / "stdout.log", 8)
    write(ranks / "1" / "stdout.log", 3)
    kept.look()
    assert (ranks / "0" / "stdout.log").stat().st_blocks * 512 < 5 * MIB
    assert b"\0" not in (ranks / "1" / "stdout.log").read_bytes()
    assert [entry["message"].split()[1] for entry in notes.entries] == ["log/id/attempt_0/0/stdout.log"]


def test_a_link_in_the_place_of_a_log_leads_nowhere(tmp_path: Path, notes: Notes) -> None:
    kept = keeper(tmp_path, notes)
    write(tmp_path / "precious", 16)
    RunDir(tmp_path).attempt(1).launcher_log.symlink_to(tmp_path / "precious")
    kept.look()
    assert b"\0" not in (tmp_path / "precious").read_bytes()


def test_without_a_limit_nothing_is_touched(tmp_path: Path, notes: Notes) -> None:
    kept = keeper(tmp_path, notes, None)
    log = RunDir(tmp_path).attempt(1).launcher_log
    write(log, 8)
    kept.look()
    assert b"\0" not in log.read_bytes()
