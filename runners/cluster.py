"""What a launch for Slurm has in another form than one for this machine."""

import hashlib
from pathlib import Path

from contracts.canonical import content_hash
from contracts.errors import RequestInvalid
from contracts.launch import InputDigest
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.slurm import SlurmOptions
from runners.bundle_files import write_bundle
from runners.home import Home
from runners.inputs import digest
from runners.preflight_files import preflight_files
from runners.texts import say

_MOST_RANKS_PER_NODE = 64
_HERE = ("CUDA_VISIBLE_DEVICES", "GLOO_SOCKET_IFNAME")
"""Variables that say something of this machine and nothing of the nodes."""
_INTERFACE = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")


def cluster_ranks(request: Request, recipe: Recipe) -> tuple[int, list[str]]:
    """Return the ranks on each node of a Slurm job, and what is unusual about them.

    Args:
        request: Says the nodes, and the ranks or GPUs over all of them.
        recipe: Says the replicas.

    Raises:
        RequestInvalid: They do not come out even.
    """
    hardware = request.hardware
    total = hardware.ranks or hardware.gpus or hardware.nodes
    if total % hardware.nodes:
        raise RequestInvalid(
            f"{total} ranks do not come out even on {hardware.nodes} nodes: {total} % {hardware.nodes} != 0",
            hint="hardware.ranks and hardware.gpus count over all nodes",
        )
    if total % recipe.dp_replicate:
        raise RequestInvalid(say("replicas_uneven", request.language, ranks=total, copies=recipe.dp_replicate))
    each = total // hardware.nodes
    if each > _MOST_RANKS_PER_NODE:
        raise RequestInvalid(f"{each} ranks on each of {hardware.nodes} nodes; {_MOST_RANKS_PER_NODE} can run")
    warnings = [say("cluster_paths", request.language)]
    if hardware.nodes > 1 and recipe.dp_replicate > 1 and (total // recipe.dp_replicate) % each:
        shard = total // recipe.dp_replicate
        warnings.append(say("shards_cross", request.language, shard=shard, each=each))
    return each, warnings


def cluster_environment(
    constants: dict[str, str], options: SlurmOptions, ranks: int, cores: int | None
) -> dict[str, str]:
    """Return the variables of a job on a cluster's nodes.

    Args:
        constants: What the job would get on this machine.
        options: Names the interface.
        ranks: Processes on each node.
        cores: Cores of each node that it takes; one for each rank where None.
    """
    env = {name: value for name, value in constants.items() if name not in _HERE}
    env["OMP_NUM_THREADS"] = str(max(1, (cores or ranks) // ranks))
    return env | (dict.fromkeys(_INTERFACE, options.interface) if options.interface else {})


def place_inputs(home: Home, python: str, options: SlurmOptions | None) -> list[InputDigest]:
    """Return what is approved because of the place where the job runs: its interpreter, and the preflight's programs.

    Args:
        home: Where the preflight's bundle is written.
        python: The interpreter.
        options: Those of a Slurm job; None: this machine.

    Raises:
        FileUnreadable: The interpreter is missing; one in a container is not looked at.
        RunFolderUnwritable: The bundle cannot be written.
    """
    contained = options is not None and options.container_image is not None
    found = [] if contained else [digest("interpreter", Path(python))]
    return [*found, *(_preflight_inputs(home) if options is not None and options.preflight else ())]


def _preflight_inputs(home: Home) -> list[InputDigest]:
    files = preflight_files()
    contents = {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}
    folder = home.plans / content_hash(contents)[:12]
    write_bundle(folder, files)
    return [digest("support", folder / name) for name in files]
