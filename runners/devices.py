"""What this machine has: GPUs that a job would see, and cores.

Asked of `nvidia-smi`, never of torch: the agent stays out of the training runtime.
"""

import os
import shutil
import subprocess

_NVIDIA_SMI_TIMEOUT_S = 20


def visible_gpus() -> int:
    """Return how many NVIDIA GPUs a job started from here would see.

    CUDA_VISIBLE_DEVICES narrows what `nvidia-smi` lists; as in CUDA, an entry that
    is no device of this machine hides itself and all entries after it.
    """
    uuids = gpu_uuids()
    wanted = os.environ.get("CUDA_VISIBLE_DEVICES")
    if wanted is None:
        return len(uuids)
    count = 0
    for entry in (part.strip() for part in wanted.split(",")):
        by_index = entry.isdigit() and int(entry) < len(uuids)
        if not by_index and not (entry and any(uuid.startswith(entry) for uuid in uuids)):
            break
        count += 1
    return count


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def gpu_uuids() -> list[str]:
    """Return the UUIDs of this machine's NVIDIA GPUs in the order of their indices; none where none is found."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        answer = subprocess.run(
            [program, "--query-gpu=uuid", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=_NVIDIA_SMI_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()]
