"""Files that are no plain log: error files, other encodings, memory snapshots, heartbeats."""

import json
import pickle
from pathlib import Path

import pytest

from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_paths, read_text


def texts(path: Path) -> list[str]:
    return [line.text for line in read_paths([str(path)]).lines]


def test_the_error_file_of_torchelastic_is_unfolded(tmp_path: Path) -> None:
    place = tmp_path / "attempt_0" / "5"
    place.mkdir(parents=True)
    callstack = 'Traceback (most recent call last):\n  File "train.py", line 9, in main\nValueError: of rank five\n'
    message = {
        "message": "ValueError: of rank five",
        "extraInfo": {"py_callstack": callstack, "timestamp": "1796037600"},
    }
    (place / "error.json").write_text(json.dumps({"message": message}))
    reading = read_paths([str(tmp_path)])
    assert 'File "train.py", line 9, in main' in [line.text for line in reading.lines]
    assert {line.rank for line in reading.lines} == {"5"}
    found = diagnose_text(reading)
    assert found.first_failure is not None
    assert "rank 5: ValueError: of rank five" in found.first_failure


@pytest.mark.parametrize("content", ['{"message": {"message"', "[1]", '{"message": 5}', ""])
def test_a_damaged_error_file_does_no_harm(tmp_path: Path, content: str) -> None:
    (tmp_path / "error.json").write_text(content)
    read_paths([str(tmp_path / "error.json")])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-8-sig"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("-le") else ""
    (tmp_path / "log.txt").write_bytes((mark + "step 1\nValueError: größer\n").encode(encoding))
    assert "ValueError: größer" in texts(tmp_path / "log.txt")


def test_a_memory_snapshot_is_summed_up(tmp_path: Path) -> None:
    mib = 1 << 20
    blocks = [{"size": 300 * mib, "state": "active_allocated"}, {"size": 100 * mib, "state": "inactive"}]
    snapshot = {
        "segments": [
            {"total_size": 400 * mib, "allocated_size": 300 * mib, "blocks": blocks},
            {"total_size": 200 * mib, "allocated_size": 160 * mib, "blocks": [{"size": 40 * mib, "state": "inactive"}]},
        ],
        "device_traces": [],
    }
    (tmp_path / "oom.pickle").write_bytes(pickle.dumps(snapshot, 4))
    (line,) = texts(tmp_path / "oom.pickle")
    # 400 + 200 reserved, 300 + 160 allocated, 140 between them, the largest free block 100
    assert line == (
        "memory snapshot: 600 MiB reserved in 2 segments, 460 MiB allocated, 140 MiB reserved but unallocated, of which"
        " the largest piece is 100 MiB"
    )


def test_a_binary_file_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"error\0\1\2" * 100)
    reading = read_paths([str(tmp_path / "core")])
    assert not reading.lines
    assert reading.skipped == [f"{tmp_path / 'core'}: not a text"]


def test_terminal_bombs_lose_their_escapes(tmp_path: Path) -> None:
    bomb = "\x1b[2J\x1b[1;1H\x1b]0;owned\x07\x1b[31m" * 2000 + "ValueError: x\x1b[0m"
    (tmp_path / "log").write_text("step 1\n" + bomb + "\n\u202eRLO error\n")
    for line in texts(tmp_path / "log"):
        assert line.isprintable()
    assert any(line.endswith("ValueError: x") for line in texts(tmp_path / "log"))


def test_a_damaged_heartbeat_is_told(tmp_path: Path) -> None:
    (tmp_path / "hb").mkdir()
    (tmp_path / "hb" / "0.json").write_text("{")
    assert "no heartbeat" in read_paths([str(tmp_path)]).skipped[0]


BANNER = """\
E1130 12:30:01.323000 1234 torch/elastic/api.py] failed (exitcode: {code}) local_rank: 0 (pid: 1239) of binary: python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_12:30:01
  host      : localhost
  rank      : 0 (local_rank: 0)
  exitcode  : {code} (pid: 1239)
  error_file: <N/A>
"""
CLOSING = (
    "W1130 12:30:01.123000 1234 torch/elastic/multiprocessing/api.py] Sending process 1240 closing signal SIGTERM\n"
)


@pytest.mark.parametrize("code", [1, -9, -11])
@pytest.mark.parametrize("before", ["", "[rank0]: RuntimeError: my loader broke\n"])
def test_the_host_in_the_launchers_banner_is_no_rendezvous(code: int, before: str) -> None:
    reading = read_text(before + BANNER.format(code=code))
    assert "rdzv-host-fallback-localhost" not in [cause.cause for cause in diagnose_text(reading).causes[:1]]


def test_that_others_are_told_to_end_is_not_the_first_failure() -> None:
    reading = read_text(CLOSING + BANNER.format(code=-9))
    assert "failed (exitcode: -9)" in (diagnose_text(reading).first_failure or "")
