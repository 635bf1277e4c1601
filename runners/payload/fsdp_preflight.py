"""Preflight: are the ranks, their links and their machines fit for a training job?

    python -m torch.distributed.run --nproc-per-node=N fsdp_preflight.py --device cpu

All ranks meet, compare what they are, and all-reduce messages of growing size. Rank 0
writes `result.json`: a verdict (ok, warning, missing) for each check, as `doctor` has
them, and the bandwidth by message size. Exit code 0 says that it was examined, not that
all is well; 1, that the ranks could not meet or a collective failed.
"""

import argparse
import os
import sys
import traceback

from fsdp_preflight_bad import bad_nodes, node_checks
from fsdp_preflight_facts import host_facts
from fsdp_preflight_verdicts import verdicts
from fsdp_sft_config import ConfigError
from fsdp_sft_launch import read_launch
from fsdp_sft_rundir import RunDir, write_json

_TIMEOUT_S = 120.0
"""For the ranks to meet and for each collective: no healthy one takes so long."""


def main(argv: list[str] | None = None) -> int:
    """Examine, write the result, and return the exit code."""
    parser = argparse.ArgumentParser(description="Preflight of the ranks; see the module's docstring")
    parser.add_argument("--device", choices=("cpu", "cuda"), required=True)
    parser.add_argument("--nodes", action="store_true", help="look at links within and between nodes, and their disk")
    parser.add_argument("--checkpoint-gib", type=float, help="size of a checkpoint")
    parser.add_argument("--checkpoint-s", type=float, help="seconds that it may take")
    arguments = parser.parse_args(argv)
    from torch.distributed.elastic.multiprocessing.errors import record

    @record
    def attempt_job() -> None:
        examine(arguments.device, arguments)

    try:
        attempt_job()
    except ConfigError as error:
        print(f"fsdp_preflight: {error}", file=sys.stderr)
        return 2
    return 0


def examine(device: str, arguments: argparse.Namespace) -> None:
    """Run every check. A collective.

    Args:
        device: `cpu` or `cuda`.
        arguments: Whether nodes are compared, and what a checkpoint takes.

    Raises:
        ConfigError: The process was not started by torchrun, or there are too few GPUs.
        RuntimeError: The ranks could not meet, or a collective failed.
    """
    from fsdp_preflight_links import Links
    from fsdp_preflight_nodes import Nodes, shared_disk
    from fsdp_sft_world import open_world

    launch = read_launch()
    rundir = RunDir(launch.run_dir, launch.rank, launch.attempt)
    with rundir.phase("boot", 0), open_world(device, launch, _TIMEOUT_S) as world:
        facts = world.collect(host_facts(rundir.root, device) | {"rank": world.rank})
        rundir.event("boot", 0, {"world_size": world.size, "device": device})
        links = Links(world)
        skews = links.clock_skews()
        bandwidth = []
        for size_bytes in links.sizes_bytes():
            rundir.heartbeat(0)
            bandwidth.append(links.all_reduce(size_bytes))
        checks, unfit = verdicts(facts, skews, bandwidth, device), {}
        if arguments.nodes:
            rundir.heartbeat(0)
            nodes = Nodes(world, facts)
            found = (nodes.within(), nodes.between(), nodes.pairs(), shared_disk(world, nodes, rundir.root))
            checks += node_checks(*found, arguments.checkpoint_gib, arguments.checkpoint_s)
            unfit = bad_nodes(facts, skews, found[0], found[2], found[3])
        if world.rank == 0:
            ready = all(check["verdict"] != "missing" for check in checks)
            result = {"status": "done", "ready": ready, "checks": checks, "bandwidth": bandwidth, "unfit": unfit}
            write_json(rundir.root / "result.json", result)
        world.share(None)


if __name__ == "__main__":
    try:
        exit_code = main()
    except Exception:
        traceback.print_exc()
        exit_code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # as in fsdp_sft: a thread of gloo may abort an interpreter that goes away
    os._exit(exit_code)
