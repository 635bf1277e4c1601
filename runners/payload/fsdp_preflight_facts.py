"""What one rank knows of its process and its machine."""

import os
import resource
import socket
import sys
from pathlib import Path
from typing import Any

import torch

_INFINIBAND = Path("/sys/class/infiniband")
_SHM = Path("/dev/shm")  # noqa: S108 - this very place is asked for


def host_facts(run_dir: Path, device: str) -> dict[str, Any]:
    """Return plain facts; sizes in bytes, limits None where there is none.

    Args:
        run_dir: The run folder.
        device: `cpu` or `cuda`.
    """
    variable = "NCCL_SOCKET_IFNAME" if device == "cuda" else "GLOO_SOCKET_IFNAME"
    return {
        # the name by which the scheduler knows the node, where there is one
        "host": os.environ.get("FSDP_NODE") or socket.gethostname(),
        "address": _address(),
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "cuda": torch.version.cuda if device == "cuda" else None,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())) if device == "cuda" else None,
        "gpu": torch.cuda.get_device_name() if device == "cuda" else None,
        "shm_free_bytes": _free_bytes(_SHM),
        "disk_free_bytes": _free_bytes(run_dir),
        "open_files": _limit(resource.RLIMIT_NOFILE),
        "locked_bytes": _limit(resource.RLIMIT_MEMLOCK),
        "processes": _limit(resource.RLIMIT_NPROC),
        "infiniband": _INFINIBAND.is_dir() and any(_INFINIBAND.iterdir()),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "interface_variable": variable,
        "interface": os.environ.get(variable),
    }


def _address() -> str | None:
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return None


def _free_bytes(place: Path) -> int | None:
    try:
        disk = os.statvfs(place)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


def _limit(which: int) -> int | None:
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft
