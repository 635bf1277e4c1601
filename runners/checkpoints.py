"""Which checkpoints a run has, and which of them a resume may trust.

The agent's side of what the training job writes: no torch, and nothing is unpickled. The
folder belongs to the job, so names, sizes and links in it are data: a manifest leads to
no file outside its folder, and a pipe or device in a file's place blocks nobody.
"""

import contextlib
import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Any

from contracts.checkpoint import CheckpointFolder
from runners.cleaning import printable
from runners.files import open_regular, read_object

_NAME = re.compile(r"step-(\d{8,})(?:-a(\d+))?", re.ASCII)
_LAST_NUMBER = re.compile(r"(.*?)(\d{1,18})(\D*)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
MANIFEST = "manifest.json"
"""Written last: it makes a folder a checkpoint."""
_METADATA = ".metadata"
_CHUNK_BYTES = 1 << 20
_REASON_LIMIT_CHARS = 300
_MAX_RANKS = 1 << 20


def list_checkpoints(folder: Path, *, verify: bool = False) -> list[CheckpointFolder]:
    """Return every step folder, the newest first, also those that are no whole checkpoint.

    Args:
        folder: The run's folder of checkpoints; it need not exist.
        verify: Read every file again and compare its SHA-256; else presence and sizes are compared.
    """
    found = []
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return []  # nothing was saved yet
    for entry in entries:
        match = _NAME.fullmatch(entry.name)
        if match and (entry.is_symlink() or entry.is_dir()):
            found.append((int(match[1]), int(match[2] or 0), entry.name))
    return [_examined(folder / name, step, verify) for step, _, name in sorted(found, reverse=True)]


def manifest_files(folder: Path) -> tuple[dict[str, tuple[int, str]], int]:
    """Return size in bytes and SHA-256 of each file by name, and the ranks that wrote them.

    Raises:
        ValueError: There is no manifest, or it is none.
    """
    if not os.path.lexists(folder / MANIFEST):
        raise ValueError("no manifest: the save is not finished")
    manifest = read_object(folder / MANIFEST)
    if manifest is None:
        raise ValueError("the manifest cannot be read")
    entries, ranks = manifest.get("files"), manifest.get("world_size")
    if not isinstance(entries, dict) or type(ranks) is not int or not 1 <= ranks <= _MAX_RANKS:
        raise ValueError("the manifest lacks files or world_size")
    files = {}
    for name, entry in entries.items():
        size, sha = (entry.get("size_bytes"), entry.get("sha256")) if isinstance(entry, dict) else (None, None)
        if name in ("", ".", "..") or "/" in name or "\0" in name or not name.isprintable():
            raise ValueError(f"the manifest names {name!r}, which is no file of this folder")
        if type(size) is not int or size < 0 or not isinstance(sha, str) or not _SHA256.fullmatch(sha):
            raise ValueError(f"the manifest has no size or SHA-256 of {name}")
        files[name] = (size, sha)
    if _METADATA not in files:
        raise ValueError(f"the manifest does not name {_METADATA}")
    return files, ranks


def earlier_whole(folder: Path) -> Path | None:
    """Return the newest checkpoint beside a damaged one, from before it, that has all that DCP writes.

    For checkpoints of a user's own script, which have no manifest: `.metadata`, which is written
    last, and data files none of which is empty. The names differ in their last number alone.

    Args:
        folder: The damaged checkpoint.
    """
    number = _LAST_NUMBER.fullmatch(folder.name)
    if number is None:
        return None
    found: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.parent.iterdir():
            other = _LAST_NUMBER.fullmatch(path.name)
            alike = other is not None and (other[1], other[3]) == (number[1], number[3])
            if other is not None and alike and int(other[2]) < int(number[2]) and _has_all(path):
                found.append((int(other[2]), path))
    return max(found)[1] if found else None


def _has_all(folder: Path) -> bool:
    if folder.is_symlink() or not (folder / _METADATA).is_file() or not (folder / _METADATA).stat().st_size:
        return False
    shards = list(folder.glob("*.distcp"))
    return bool(shards) and all(shard.is_file() and shard.stat().st_size for shard in shards)


def _examined(folder: Path, step: int, verify: bool) -> CheckpointFolder:
    facts: dict[str, Any] = {"name": folder.name, "step": step, "size_bytes": 0}
    if folder.is_symlink():
        return CheckpointFolder(**facts, verdict="unverified", reason="is a link, not a folder")
    facts["size_bytes"] = _size_bytes(folder)
    try:
        files, facts["world_size"] = manifest_files(folder)
        _compare(folder, files, verify)
    except ValueError as problem:
        return CheckpointFolder(**facts, verdict="unverified", reason=printable(str(problem), _REASON_LIMIT_CHARS))
    return CheckpointFolder(**facts, verdict="verified" if verify else "complete")


def _compare(folder: Path, files: dict[str, tuple[int, str]], verify: bool) -> None:
    """Compare files with their manifest.

    Raises:
        ValueError: One is not what it was when it was saved; the message says which and how.
    """
    for name, (size, _) in sorted(files.items()):
        try:
            facts = os.lstat(folder / name)
        except OSError:
            raise ValueError(f"{name} is missing") from None
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError(f"{name} is not a regular file")
        if facts.st_size != size:
            raise ValueError(f"{name} has {facts.st_size} bytes instead of {size}")
    if verify:  # after all the sizes: a missing shard is told before gigabytes are read
        for name, (_, sha) in sorted(files.items()):
            if _sha256(folder / name) != sha:
                raise ValueError(f"{name} differs from its SHA-256")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with open_regular(path) as stream:
            while piece := stream.read(_CHUNK_BYTES):
                digest.update(piece)
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None
    return digest.hexdigest()


def _size_bytes(folder: Path) -> int:
    total = 0
    try:
        for entry in os.scandir(folder):
            facts = entry.stat(follow_symlinks=False)
            total += facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    except OSError:
        pass  # retention removes it at this moment
    return total
