"""Small files: whole or not at all, and never more than the bound."""

import errno
import os
from pathlib import Path

import pytest

from runners.files import read_object, read_tail, write_json, write_whole


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_json(tmp_path / "x", {"a": 1})
    assert read_object(tmp_path / "x") == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_failed_write_leaves_the_former_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_whole(tmp_path / "x", b"former")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "x", b"latter")
    assert (tmp_path / "x").read_bytes() == b"former"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"a": ' + b"[" * 100_000])
def test_what_is_no_object(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert read_object(tmp_path / "x") is None


def test_an_object_beyond_the_bound_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"a": 1}')
    assert read_object(tmp_path / "x", 8) == {"a": 1}
    assert read_object(tmp_path / "x", 7) is None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_no_regular_file(tmp_path: Path, make: object) -> None:
    make(tmp_path / "x")  # type: ignore[operator]
    assert read_object(tmp_path / "x") is None
    assert read_tail(tmp_path / "x", 10) == b""


@pytest.mark.parametrize(
    ("limit_bytes", "tail"), [(100, b"one\ntwo\nthree"), (9, b"two\nthree"), (8, b"three"), (6, b"three"), (3, b"")]
)
def test_a_tail_begins_with_a_whole_line(tmp_path: Path, limit_bytes: int, tail: bytes) -> None:
    (tmp_path / "x").write_bytes(b"one\ntwo\nthree")
    assert read_tail(tmp_path / "x", limit_bytes) == tail
