"""Checkpoints as the agent reads them: whole, damaged, unfinished, hostile."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from runners.checkpoints import list_checkpoints


def write(folder: Path, name: str, ranks: int = 2, **changes: Any) -> Path:
    """A step folder as a save leaves it, one shard of 1000 bytes for each rank."""
    step = folder / name
    step.mkdir(parents=True)
    files = {".metadata": b"m" * 50} | {f"__{rank}_0.distcp": bytes([rank]) * 1000 for rank in range(ranks)}
    entries = {}
    for file, body in files.items():
        (step / file).write_bytes(body)
        entries[file] = {"size_bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    manifest = {"files": entries, "step": 50, "world_size": ranks} | changes
    (step / "manifest.json").write_text(json.dumps(manifest))
    return step


def only(folder: Path, **how: bool) -> tuple[str, str]:
    """Verdict and reason of the one step folder."""
    (found,) = list_checkpoints(folder, **how)
    return found.verdict, found.reason


def test_a_whole_one_is_complete_and_after_reading_verified(tmp_path: Path) -> None:
    step = write(tmp_path, "step-00000050", ranks=3)
    (found,) = list_checkpoints(tmp_path)
    assert (found.name, found.step, found.world_size) == ("step-00000050", 50, 3)
    assert (found.verdict, found.reason) == ("complete", "")
    assert found.size_bytes == 3050 + (step / "manifest.json").stat().st_size
    assert only(tmp_path, verify=True) == ("verified", "")


def test_the_newest_is_first_and_a_later_attempt_before_an_earlier(tmp_path: Path) -> None:
    for name in ("step-00000050", "step-00000100", "step-00000050-a2", "step-100000000", "step-00000050-a10"):
        write(tmp_path, name)
    (tmp_path / "step-5").mkdir()
    (tmp_path / "newest").mkdir()
    (tmp_path / "step-00000070").write_text("a file")
    assert [found.name for found in list_checkpoints(tmp_path)] == [
        "step-100000000",
        "step-00000100",
        "step-00000050-a10",
        "step-00000050-a2",
        "step-00000050",
    ]


def test_no_folder_is_no_checkpoints(tmp_path: Path) -> None:
    assert list_checkpoints(tmp_path / "ckpt") == []


def test_flipped_bytes_are_found_by_reading_alone(tmp_path: Path) -> None:
    shard = write(tmp_path, "step-00000050") / "__1_0.distcp"
    body = bytearray(shard.read_bytes())
    body[500:564] = bytes(64 * [255])
    shard.write_bytes(body)
    assert only(tmp_path) == ("complete", "")
    assert only(tmp_path, verify=True) == ("unverified", "__1_0.distcp differs from its SHA-256")


@pytest.mark.parametrize("verify", [False, True])
def test_a_missing_and_a_short_shard(tmp_path: Path, verify: bool) -> None:
    shard = write(tmp_path, "step-00000050") / "__0_0.distcp"
    shard.write_bytes(shard.read_bytes()[:-1])
    assert only(tmp_path, verify=verify) == ("unverified", "__0_0.distcp has 999 bytes instead of 1000")
    shard.unlink()
    assert only(tmp_path, verify=verify) == ("unverified", "__0_0.distcp is missing")


def test_a_save_that_was_cut_off(tmp_path: Path) -> None:
    (write(tmp_path, "step-00000050") / "manifest.json").unlink()
    assert only(tmp_path) == ("unverified", "no manifest: the save is not finished")
    (found,) = list_checkpoints(tmp_path)
    assert (found.world_size, found.size_bytes) == (None, 2050)


@pytest.mark.parametrize(
    "body", ["", "[]", "{", "[" * 100_000, '{"files": {}}', '{"files": [], "world_size": 2}', "\x00\x01"]
)
def test_a_broken_manifest(tmp_path: Path, body: str) -> None:
    (write(tmp_path, "step-00000050") / "manifest.json").write_text(body)
    verdict, reason = only(tmp_path, verify=True)
    assert verdict == "unverified"
    assert "manifest" in reason


@pytest.mark.parametrize("ranks", [True, 0, -1, "2", 2.0, None, 10**30])
def test_a_world_size_that_is_none(tmp_path: Path, ranks: Any) -> None:
    write(tmp_path, "step-00000050", world_size=ranks)
    assert only(tmp_path)[0] == "unverified"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "..", "", "a/b", "a\x00b", "\x1b[2Jshard", "a\nb"])
def test_a_manifest_leads_to_no_file_outside_and_moves_no_cursor(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"s")
    entry = {"size_bytes": 1, "sha256": hashlib.sha256(b"s").hexdigest()}
    write(tmp_path / "ckpt", "step-00000050", files={".metadata": entry, name: entry})
    verdict, reason = only(tmp_path / "ckpt", verify=True)
    assert verdict == "unverified"
    assert "no file of this folder" in reason
    assert reason.isprintable()


def test_a_manifest_without_the_metadata(tmp_path: Path) -> None:
    write(tmp_path, "step-00000050", files={})
    assert only(tmp_path) == ("unverified", "the manifest does not name .metadata")


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    elsewhere = write(tmp_path / "other", "step-00000050")
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "ckpt" / "step-00000060").symlink_to(elsewhere)
    assert only(tmp_path / "ckpt") == ("unverified", "is a link, not a folder")
    for change in (lambda path: path.symlink_to(elsewhere / ".metadata"), os.mkfifo):
        shard = elsewhere / "__0_0.distcp"
        shard.unlink()
        change(shard)
        assert only(tmp_path / "other", verify=True) == ("unverified", "__0_0.distcp is not a regular file")


def test_a_manifest_that_is_a_pipe_blocks_nobody(tmp_path: Path) -> None:
    manifest = write(tmp_path, "step-00000050") / "manifest.json"
    manifest.unlink()
    os.mkfifo(manifest)
    assert only(tmp_path) == ("unverified", "the manifest cannot be read")
