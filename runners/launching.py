"""How ranks are started on this machine: torchrun's arguments, interpreter, ranks, environment."""

import os
import sys
from pathlib import Path

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.launch import LaunchResources
from contracts.request import Language
from runners.devices import usable_cores, visible_gpus
from runners.texts import say

_HANDLED_SIGNALS = "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1,SIGUSR2"
_SET_WHERE_SET_HERE = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
"""A job finds its GPUs and shared libraries through these."""
CODE_VARIABLES = frozenset(
    {"BASH_ENV", "ENV", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP"}
)
"""These decide which code runs: never passed by name alone, but approved with their values."""
_RECORDED_COLLECTIVES = 2000
"""Of each rank, kept by torch's flight recorder; its default from torch 2.10 on."""
_MEETING_HERE = ("--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--log-dir={attempt_dir}/log")
_MEETING_ON_A_CLUSTER = (
    # c10d orders nodes by host name; with static, ranks follow the order in which Slurm lists them
    "--rdzv-backend=static",
    "--node-rank={node_rank}",
    "--rdzv-endpoint={first_node}:{port}",
    "--log-dir={attempt_dir}/log/node-{node_rank}",
)
_MAX_RANKS = 1024
"""Ranks on one machine; more is a slip of the pen."""
_TRIAL_RANKS_PER_CORE = 4
"""CPU ranks that may share a core where speed is measured."""


def torchrun_arguments(ranks: int, nodes: int | None = None) -> list[str]:
    """Return what comes between the interpreter and the script, with a place holder for the logs.

    Args:
        ranks: Processes on each node.
        nodes: Nodes of a cluster, on each of which it is started; None: this machine.
    """
    # --max-restarts 0: torchrun's own restart reuses the store of the dead attempt (pytorch#135712)
    return [
        "-m",
        "torch.distributed.run",
        f"--nnodes={nodes or 1}",
        f"--nproc-per-node={ranks}",
        "--max-restarts=0",
        *(_MEETING_HERE if nodes is None else _MEETING_ON_A_CLUSTER),
        "--redirects=3",
        f"--signals-to-handle={_HANDLED_SIGNALS}",
    ]


def job_resources(
    device: str, ranks: int, cores: int | None = None, gpus: int | None = None, nodes: int | None = None
) -> LaunchResources:
    """Return what a job takes of this machine: others wait for it; or of each node of a cluster.

    Args:
        device: `cpu` or `cuda`.
        ranks: Processes on this machine.
        cores: Cores, where they are stated; else one for each rank, and on CPU as many as
            its threads use, which is all, and never more than there are.
        gpus: GPUs of a `cuda` job, where they are stated; else one for each rank.
        nodes: Nodes of a cluster; None: this machine.
    """
    if cores is None and nodes is not None:
        cores = ranks
    if cores is None:
        cores = min(ranks * _threads(ranks, None), usable_cores()) if device == "cpu" else ranks
    taken = {"cores_per_node": cores, "gpus_per_node": gpus if device == "cuda" else None}
    return LaunchResources.model_validate({"nodes": nodes or 1, "ranks_per_node": ranks, "device": device, **taken})


def _threads(ranks: int, cores: int | None) -> int:
    return max(1, (usable_cores() if cores is None else cores) // ranks)


def job_constants(device: str, ranks: int, cores: int | None = None) -> dict[str, str]:
    """Return the variables that every job of ours gets, whatever the environment says.

    Args:
        device: `cpu` or `cuda`.
        ranks: Processes on this machine.
        cores: Cores that it takes; all where None.
    """
    env = evidence_constants(device) | {
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": str(_threads(ranks, cores)),
        # a __pycache__ beside the approved payload would be code that nobody approved: see verify.py
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    # All ranks are on this machine; without it gloo may pick an interface that a firewall closes.
    return env | ({"GLOO_SOCKET_IFNAME": "lo"} if device == "cpu" and sys.platform == "linux" else {})


def evidence_constants(device: str) -> dict[str, str]:
    """Return the variables that make ranks keep what tells why a collective hung, or where one crashed.

    Args:
        device: `cpu` or `cuda`; only NCCL writes its record by itself when a collective times out.
    """
    # a rank that is ended by SIGSEGV or SIGABRT writes the Python stacks of its threads to its log
    kept = {"PYTHONFAULTHANDLER": "1", "TORCH_FR_BUFFER_SIZE": str(_RECORDED_COLLECTIVES)}
    if device != "cuda":
        return kept
    return kept | {
        "TORCH_FR_DUMP_TEMP_FILE": "{attempt_dir}/diag/flight_rank_",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
    }


def approved_values(passed: tuple[str, ...]) -> dict[str, str]:
    """Return variables that decide which code runs, with the values that they have here.

    Args:
        passed: Names that the request passes.
    """
    names = {*_SET_WHERE_SET_HERE, *(CODE_VARIABLES & set(passed))}
    return {name: os.environ[name] for name in sorted(names) if name in os.environ}


def check_interpreter(python: str) -> str:
    """Return the absolute path of a Python.

    Raises:
        FileUnreadable: It is no program.
    """
    # absolute, not resolved: a virtual environment's python is a link that must stay one
    path = Path(python).expanduser().absolute()
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise FileUnreadable(f"training interpreter not found or not executable: {path}")
    return str(path)


def check_ranks(ranks: int, device: str, language: Language | None = None) -> list[str]:
    """Return what is unusual about so many ranks on this machine.

    Args:
        ranks: Processes, from 1.
        device: `cpu` or `cuda`.
        language: In which language it is told; English where None.

    Raises:
        RequestInvalid: They cannot run here.
    """
    if not 1 <= ranks <= _MAX_RANKS:
        raise RequestInvalid(say("ranks_out_of_range", language, ranks=ranks, most=_MAX_RANKS))
    if device == "cuda":
        gpus = visible_gpus()
        if ranks > gpus:
            raise RequestInvalid(
                say("too_few_gpus", language, ranks=ranks, gpus=gpus), hint=say("too_few_gpus_hint", language)
            )
        return []
    cores = usable_cores()
    return [say("shared_cores", language, ranks=ranks, cores=cores)] if ranks > cores else []


def refuse_crowded_trials(ranks: int, device: str, language: Language | None = None) -> None:
    """Refuse to measure on so many more ranks than cores that only their waiting would be measured.

    Args:
        ranks: Processes of each trial.
        device: `cpu` or `cuda`.
        language: In which language it is told; English where None.

    Raises:
        RequestInvalid: There are more than four ranks for each core.
    """
    cores = usable_cores()
    most = _TRIAL_RANKS_PER_CORE * cores
    if device == "cpu" and ranks > most:
        values = {"ranks": ranks, "cores": cores, "each": _TRIAL_RANKS_PER_CORE, "most": most}
        raise RequestInvalid(say("crowded", language, **values), hint=say("crowded_hint", language, most=most))
