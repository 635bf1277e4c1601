"""The journal: whole lines or none, and what they amount to."""

import errno
import os
from pathlib import Path

import pytest

from runners.journal import Journal, fold, read_journal
from runners.process import Identity, identity

ME = {"pid": 7, "started": 8, "boot": "b"}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append("attempt", attempt=1)
    journal.append("end", attempt=1, state="done", exit_code=0, time=5.0)
    first, second = read_journal(tmp_path / "journal")
    assert (first["kind"], first["attempt"]) == ("attempt", 1)
    assert second["time"] == 5.0


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal") == []
    assert fold([]).attempt == 0


@pytest.mark.parametrize("torn", [b'{"kind": "end"', b"\x00\xff", b'{"kind": 3}\n', b"[[[[\n", b"null\n"])
def test_a_torn_line_is_passed_over_and_closed_by_the_next(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "journal"
    Journal(path).append("attempt", attempt=1)
    with open(path, "ab") as stream:
        stream.write(torn)
    assert [entry["kind"] for entry in read_journal(path)] == ["attempt"]
    Journal(path).append("end", attempt=1, state="done")
    assert [entry["kind"] for entry in read_journal(path)] == ["attempt", "end"]


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "journal").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        Journal(tmp_path / "journal").append("attempt", attempt=1)
    assert caught.value.errno == errno.ENOSPC


def test_a_line_that_was_written_in_part_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal"
    Journal(path).append("attempt", attempt=1)
    before = path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:10]))
    with pytest.raises(OSError, match="No space left"):
        Journal(path).append("end", attempt=1)
    assert path.read_bytes() == before


def test_a_pipe_in_its_place_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "journal")
    assert read_journal(tmp_path / "journal") == []


def _entries(*kinds: tuple[str, dict[str, object]]) -> list[dict[str, object]]:
    return [{"kind": kind, "time": float(number), **facts} for number, (kind, facts) in enumerate(kinds)]


SENT = ("supervisor", {"attempt": 1, "process": ME})
BEGUN = ("attempt", {"attempt": 1})
STARTED = ("started", {"attempt": 1, "process": ME})
FAILED = ("end", {"attempt": 1, "state": "failed", "exit_code": 1, "reason": "why"})
SENT_AGAIN = ("supervisor", {"attempt": 2, "process": ME})


def test_from_submission_to_start() -> None:
    sent = fold(_entries(SENT))
    assert (sent.attempt, sent.pending, sent.wanted, sent.state) == (0, 1, 1, None)
    assert sent.supervisor == Identity(7, 8, "b")
    started = fold(_entries(SENT, BEGUN, STARTED))
    assert (started.attempt, started.pending, started.state, started.started_at) == (1, 0, None, 1.0)
    assert started.shim == Identity(7, 8, "b")


def test_an_end_and_a_second_start() -> None:
    ended = fold(_entries(SENT, BEGUN, STARTED, ("stopping", {}), FAILED))
    assert (ended.state, ended.exit_code, ended.reason, ended.stopping, ended.last_at) == ("failed", 1, "why", True, 4)
    pending = fold(_entries(SENT, BEGUN, STARTED, FAILED, SENT_AGAIN))
    assert (pending.state, pending.pending) == ("failed", 2)
    again = fold(_entries(SENT, BEGUN, STARTED, ("stopping", {}), FAILED, SENT_AGAIN, ("attempt", {"attempt": 2})))
    assert (again.attempt, again.state, again.reason, again.stopping, again.shim) == (2, None, "", False, None)
    assert again.supervisor == Identity(7, 8, "b")


def test_closing_a_start_on_the_way_to_the_next_leaves_the_next_pending() -> None:
    lost = ("end", {"attempt": 1, "state": "lost"})
    assert fold(_entries(SENT, BEGUN, STARTED, SENT_AGAIN, lost)).pending == 2
    assert fold(_entries(SENT, BEGUN, STARTED, lost)).pending == 0


def test_a_refusal_is_an_end_that_is_no_start() -> None:
    refused = fold(_entries(SENT, ("refused", {"attempt": 1, "reason": "changed"})))
    assert (refused.attempt, refused.state, refused.reason, refused.pending) == (0, "refused", "changed", 0)


def test_entries_of_a_later_version_change_nothing() -> None:
    assert fold(_entries(SENT, BEGUN, ("hang", {"rank": 1})))._replace(last_at=None) == fold(
        _entries(SENT, BEGUN)
    )._replace(last_at=None)


@pytest.mark.parametrize("process", [None, {}, {"pid": "x"}, [1], "7"])
def test_an_identity_that_is_none(process: object) -> None:
    assert fold(_entries(("supervisor", {"attempt": 1, "process": process}))).supervisor is None


def test_an_identity_survives_the_journal(tmp_path: Path) -> None:
    me = identity(os.getpid())
    assert me is not None
    Journal(tmp_path / "journal").append("supervisor", attempt=1, process=me.as_json())
    assert fold(read_journal(tmp_path / "journal")).supervisor == me


def test_a_resume_of_a_cancelled_run_is_not_stopping() -> None:
    cancelled = [
        {"kind": "supervisor", "attempt": 1},
        {"kind": "attempt", "attempt": 1, "time": 1.0},
        {"kind": "stopping", "attempt": 1},
    ]
    ended = [*cancelled, {"kind": "end", "attempt": 1, "state": "cancelled"}]
    assert fold(ended).stopping
    assert not fold([*ended, {"kind": "supervisor", "attempt": 2}]).stopping
    # a new supervisor of a start that has not ended still has to end it
    assert fold([*cancelled, {"kind": "supervisor", "attempt": 2}]).stopping
