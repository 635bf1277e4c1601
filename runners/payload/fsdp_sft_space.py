"""Is there room on the disk for what is about to be written? Standard library only.

A save that fills the disk leaves a wreck, and no room for the journal of the runner. So
it is asked before; the answer is an estimate, and other programs write meanwhile.
"""

import os
from pathlib import Path

from fsdp_sft_manifest import list_folders, read_manifest

CHECKPOINT_BYTES_PER_PARAMETER = 12
"""fp32 weight and AdamW's two fp32 moments; replicas (HSDP) are saved once."""
EXPORT_BYTES_PER_PARAMETER = 4
"""fp32 weight."""
RESERVE_BYTES = 8 << 20
"""Left for events, heartbeats, logs and the runner's journal."""


def checkpoint_bytes(root: Path, parameters: int) -> int:
    """Return how large the next checkpoint will be, over all ranks: as the newest whole one, else by parameters.

    Args:
        root: Folder of the checkpoints.
        parameters: Elements of the whole model.
    """
    for name in list_folders(root):
        try:
            files = read_manifest(root / name)["files"]
        except ValueError:
            continue
        return sum(entry["size_bytes"] for entry in files.values())
    return parameters * CHECKPOINT_BYTES_PER_PARAMETER


def shortage(folder: Path, needed_bytes: int) -> str | None:
    """Return why something does not fit on a folder's disk, or None where it does.

    Args:
        folder: Where it will be written.
        needed_bytes: Its size.
    """
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None  # unknown: the writing itself will tell
    free_bytes = disk.f_bavail * disk.f_frsize
    if free_bytes >= needed_bytes + RESERVE_BYTES:
        return None
    mib = 1 << 20
    needed = f"{needed_bytes / mib:.1f} MiB and a reserve of {RESERVE_BYTES / mib:.0f} MiB are needed"
    return f"no room in {folder}: {needed}, {free_bytes / mib:.1f} MiB are free"
