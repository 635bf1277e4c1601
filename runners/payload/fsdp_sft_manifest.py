"""Which checkpoints there are, and which of them can be trusted. Standard library only.

A step folder is written once and never again: DCP loads a folder that two saves have
mixed, and one with flipped bytes, without an error. What makes a folder a checkpoint is
`manifest.json`, written last, with the size and SHA-256 of every file. Digests tell of
accidents; against intent, `.metadata` may name only what ours do.
"""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from fsdp_sft_globals import find_pickle_fault
from fsdp_sft_rundir import write_json

MANIFEST = "manifest.json"
_METADATA = ".metadata"
_NAME = re.compile(r"step-(\d{8,})(?:-a(\d+))?")
_CHUNK_BYTES = 1 << 20

Digest = dict[str, Any]


def list_folders(root: Path) -> list[str]:
    """Return the names of all step folders, newest first, whatever is in them."""
    found = []
    for path in root.iterdir():
        match = _NAME.fullmatch(path.name)
        if match and path.is_dir():
            found.append((int(match[1]), int(match[2] or 0), path.name))
    return [name for _, _, name in sorted(found, reverse=True)]


def claim_folder(root: Path, step: int, attempt: int) -> str:
    """Make a folder that no save has touched and return its name.

    It is `step-00000050`, or where that exists `step-00000050-a2`, by attempt.
    """
    base = f"step-{step:08d}"
    suffixes = ["", *(f"-a{number}" for number in range(attempt, attempt + 1000))]
    for suffix in suffixes:
        try:
            (root / f"{base}{suffix}").mkdir()
        except FileExistsError:
            continue
        return f"{base}{suffix}"
    raise RuntimeError(f"{root} has a thousand folders of {base}")


def digest_files(folder: Path, names: list[str]) -> dict[str, Digest]:
    """Return size and SHA-256 of some files of a folder.

    Raises:
        OSError: A file cannot be read.
    """
    digests = {}
    for name in names:
        sha, size = hashlib.sha256(), 0
        with open(folder / name, "rb") as stream:
            while piece := stream.read(_CHUNK_BYTES):
                sha.update(piece)
                size += len(piece)
        digests[name] = {"size_bytes": size, "sha256": sha.hexdigest()}
    return digests


def write_manifest(folder: Path, files: dict[str, Digest], step: int, world_size: int) -> None:
    """Declare a folder complete.

    Args:
        folder: The step folder, with DCP's `.metadata` in place.
        files: Digests of all its files.
        step: Optimizer steps done.
        world_size: Ranks that wrote it.

    Raises:
        ValueError: The folder has other files than were hashed.
        OSError: It cannot be written.
    """
    present = sorted(path.name for path in folder.iterdir())
    if present != sorted(files):
        raise ValueError(f"{folder} has the files {present}, hashed were {sorted(files)}")
    write_json(folder / MANIFEST, {"files": files, "step": step, "world_size": world_size})


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a folder's manifest.

    Raises:
        ValueError: There is none, or it is not one.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files, step, world_size = manifest["files"], manifest["step"], manifest["world_size"]
        right = isinstance(step, int) and isinstance(world_size, int)
        right = right and all(
            Path(name).name == name and isinstance(entry["size_bytes"], int) and isinstance(entry["sha256"], str)
            for name, entry in files.items()
        )
    except FileNotFoundError:
        raise ValueError("no manifest: the save was not finished") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"unreadable manifest: {error!r}") from error
    if not right or _METADATA not in files:
        raise ValueError("unreadable manifest: fields are missing or of a wrong type")
    return dict(manifest)


def find_fault(folder: Path, part: int = 0, parts: int = 1) -> str | None:
    """Return why a folder is no trustworthy checkpoint, or None if it is one.

    Args:
        folder: The step folder.
        part: Which share of the files to read; sizes are checked for all of them.
        parts: How many shares there are (one for each rank).
    """
    try:
        files = read_manifest(folder)["files"]
    except ValueError as error:
        return str(error)
    for name, entry in sorted(files.items()):
        path = folder / name
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != entry["size_bytes"]:
            return f"{name} has {path.stat().st_size} bytes instead of {entry['size_bytes']}"
    mine = sorted(files)[part::parts]
    try:
        digests = digest_files(folder, mine)
    except OSError as error:
        return f"{error.filename} cannot be read: {error.strerror}"
    wrong = [name for name in mine if digests[name]["sha256"] != files[name]["sha256"]]
    if wrong:
        return f"{wrong[0]} differs from its SHA-256"
    fault = find_pickle_fault((folder / _METADATA).read_bytes()) if _METADATA in mine else None
    return f"{_METADATA} {fault}" if fault else None


def retire(root: Path, keep: int, distrusted: set[str]) -> list[str]:
    """Delete what the newest good checkpoints make needless, and return the names.

    Args:
        root: Folder of the checkpoints.
        keep: Good checkpoints to keep.
        distrusted: Names of folders that did not verify: they count for nothing.
    """
    names = list_folders(root)
    good = [name for name in names if name not in distrusted and (root / name / MANIFEST).is_file()]
    if len(good) < keep:
        return []
    # older than the oldest that is kept: outdated checkpoints, and wrecks that nobody will miss
    needless = names[names.index(good[keep - 1]) + 1 :]
    for name in needless:
        # the manifest first: a half-deleted folder must not look like a checkpoint
        (root / name / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(root / name)
    return needless
