"""What this machine offers a training job, and what will be too little. Read, never changed."""

import os
import resource
import shutil
import socket
import subprocess
from pathlib import Path

from interfaces.results import Check, Verdict
from runners import usable_cores

_GIB = 1 << 30
_LOW_DISK_BYTES = 10 * _GIB
_LOW_SHM_BYTES = 1 * _GIB
_LOW_MEMORY_BYTES = 4 * _GIB
_LOW_OPEN_FILES = 4096
_SERVER_PORT = 2024
_SLURM_TIMEOUT_S = 10
_SHOWN_PARTITIONS = 8
_NO_SLURM = "needed for Slurm jobs only: is this machine one of a cluster, and does slurmctld run?"
_NVIDIA_SMI_TIMEOUT_S = 20
_CGROUP = Path("/sys/fs/cgroup")


def gpus() -> Check:
    """List the NVIDIA GPUs that `nvidia-smi` sees."""
    hint = "CPU ranks work for trials; for GPUs install the NVIDIA driver, in a container pass them with --gpus all"
    program = shutil.which("nvidia-smi")
    if program is None:
        return Check(name="gpus", verdict="missing", value="nvidia-smi not found", hint=hint)
    query = [program, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=_NVIDIA_SMI_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        text = f"nvidia-smi did not answer in {_NVIDIA_SMI_TIMEOUT_S} s"
        return Check(name="gpus", verdict="warning", value=text, hint="a GPU or its driver hangs: see dmesg")
    lines = [line.strip() for line in answer.stdout.splitlines() if line.strip()]
    if answer.returncode or not lines:
        text = (answer.stderr or answer.stdout).strip() or "no GPU listed"
        return Check(name="gpus", verdict="missing", value=text, hint=hint)
    return Check(name="gpus", verdict="ok", value=f"{len(lines)}: " + "; ".join(lines))


def slurm() -> Check:
    """Tell whether Slurm's `sbatch` is there, and whether a Slurm answers."""
    program = shutil.which("sbatch")
    if not program:
        return Check(name="slurm", verdict="missing", value="sbatch not found", hint="needed for several machines only")
    try:
        command = ["sinfo", "-h", "-o", "%P %D %a"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_SLURM_TIMEOUT_S)
    except (subprocess.TimeoutExpired, OSError):
        return Check(name="slurm", verdict="warning", value=f"{program}, but Slurm does not answer", hint=_NO_SLURM)
    lines = [line.split() for line in answer.stdout.splitlines()]
    found = [f"{words[0]} ({words[1]} nodes, {words[2]})" for words in lines if len(words) == 3]
    if answer.returncode or not found:
        return Check(name="slurm", verdict="warning", value=f"{program}, but Slurm does not answer", hint=_NO_SLURM)
    more = f" and {len(found) - _SHOWN_PARTITIONS} more" if len(found) > _SHOWN_PARTITIONS else ""
    value = f"{program}; partitions: {', '.join(found[:_SHOWN_PARTITIONS])}{more}"
    return Check(name="slurm", verdict="ok", value=value)


def cores() -> Check:
    """Count the cores that this process may use, by affinity and by cgroup quota."""
    usable = usable_cores()
    quota = _cgroup_numbers("cpu.max")
    if len(quota) == 2:
        usable = min(usable, max(1, quota[0] // quota[1]))
    return _enough("cores", usable >= 2, str(usable), "two ranks on one core wait for each other")


def memory() -> Check:
    """Read the host memory that is free, and the cgroup's limit."""
    facts = {}
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            facts[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return Check(name="memory", verdict="warning", value="unknown", hint="/proc/meminfo cannot be read")
    total, free = facts.get("MemTotal", 0), facts.get("MemAvailable", 0)
    limit = _cgroup_numbers("memory.max")
    if limit:
        used = _cgroup_numbers("memory.current") or [0]
        total, free = min(total, limit[0]), min(free, limit[0] - used[0])
    text = f"{free / _GIB:.1f} GiB free of {total / _GIB:.1f} GiB"
    return _enough("memory", free >= _LOW_MEMORY_BYTES, text, "loading a model and checkpointing take host memory")


def shared_memory() -> Check:
    """Read the size of /dev/shm, which NCCL and DataLoader workers use."""
    hint = "DataLoader workers and NCCL fail when it is full: docker run --ipc=host, or --shm-size=8g"
    return _space("shared_memory", Path("/dev/shm"), _LOW_SHM_BYTES, hint)  # noqa: S108 - this very place is asked for


def disk(home: Path) -> Check:
    """Read the space that is left for runs and checkpoints below the agent's home."""
    place = next(folder for folder in (home, *home.parents) if folder.is_dir())
    hint = "a checkpoint takes 12 bytes for each parameter; free some, or choose another --home"
    return _space("disk", place, _LOW_DISK_BYTES, hint)


def home_folder(home: Path) -> Check:
    """Tell whether the agent can write its home."""
    place = next(folder for folder in (home, *home.parents) if folder.is_dir())
    fine = os.access(place, os.W_OK | os.X_OK)
    hint = "" if fine else f"{place} cannot be written: choose another with --home or FSDP_AGENT_HOME"
    return Check(name="home", verdict="ok" if fine else "missing", value=str(home), hint=hint, required=True)


def open_files() -> Check:
    """Read the limit of open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = f"{_limit(soft)} (hard limit {_limit(hard)})"
    enough = soft == resource.RLIM_INFINITY or soft >= _LOW_OPEN_FILES
    return _enough("open_files", enough, text, "ulimit -n 65536: ranks, data workers and shards each hold files open")


def locked_memory() -> Check:
    """Read the limit of locked memory, which InfiniBand needs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    text = _limit(soft) if soft == resource.RLIM_INFINITY else f"{soft / _GIB:.2f} GiB"
    return _enough("locked_memory", soft == resource.RLIM_INFINITY, text, "InfiniBand needs ulimit -l unlimited")


def loopback() -> Check:
    """Tell whether a rendezvous on this machine can open a port."""
    try:
        with socket.create_server(("127.0.0.1", 0)):
            socket.getaddrinfo("localhost", None)
    except OSError as error:
        hint = "ranks meet on a port of localhost: see /etc/hosts and the sandbox's rules"
        return Check(name="loopback", verdict="missing", value=str(error), hint=hint, required=True)
    return Check(name="loopback", verdict="ok", value="a port on 127.0.0.1 opens, localhost resolves", required=True)


def server_port() -> Check:
    """Tell whether the usual port of `langgraph dev` is free."""
    try:
        with socket.create_server(("127.0.0.1", _SERVER_PORT)):
            return Check(name="server_port", verdict="ok", value=f"{_SERVER_PORT} is free")
    except OSError as error:
        hint = "langgraph dev silently takes another port; name one with --port"
        return Check(name="server_port", verdict="warning", value=f"{_SERVER_PORT}: {error}", hint=hint)


def _space(name: str, place: Path, low_bytes: int, hint: str) -> Check:
    try:
        usage = shutil.disk_usage(place)
    except OSError as error:
        return Check(name=name, verdict="missing", value=f"{place}: {error.strerror}", hint=hint)
    text = f"{usage.free / _GIB:.1f} GiB free of {usage.total / _GIB:.1f} GiB at {place}"
    return _enough(name, usage.free >= low_bytes, text, hint)


def _enough(name: str, enough: bool, value: str, hint: str) -> Check:
    verdict: Verdict = "ok" if enough else "warning"
    return Check(name=name, verdict=verdict, value=value, hint="" if enough else hint)


def _limit(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _cgroup_numbers(name: str) -> list[int]:
    """Return the numbers of a cgroup v2 file; none where there is no limit or no file."""
    try:
        words = (_CGROUP / name).read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []
    return [int(word) for word in words] if all(word.isdigit() for word in words) else []
