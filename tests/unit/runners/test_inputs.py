"""What a job will read is a regular file, or it is refused before anybody is asked."""

import hashlib
import os
from pathlib import Path

import pytest

from contracts.errors import FileUnreadable
from contracts.request import UserScript
from runners.inputs import digest


def test_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    found = digest("data", path)
    assert (found.sha256, found.size_bytes) == (hashlib.sha256(b"abc").hexdigest(), 3)


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, Path("/dev/zero"), tmp_path):
        with pytest.raises(FileUnreadable, match="not a regular file"):
            digest("script", path)
    with pytest.raises(FileUnreadable, match="cannot read"):
        digest("script", tmp_path / "nothing")


@pytest.mark.parametrize("words", [{"args": ("a\0b",)}, {"launcher_args": ("\0",)}, {"inputs": ("/x\0",)}])
def test_a_nul_is_no_part_of_an_argument(words: dict) -> None:
    with pytest.raises(ValueError, match="NUL"):
        UserScript.model_validate({"path": "/x/train.py", **words})
