"""torchrun on one node without a port uses 29500 in older versions."""

import torch.distributed.run as torchrun

PROCESS_GROUP = False
WORLD_SIZE = 1


def _rendezvous(*flags):
    seen = []
    original = torchrun.elastic_launch
    torchrun.elastic_launch = lambda config, **_: lambda *_: seen.append(config)
    try:
        torchrun.run(torchrun.parse_args([*flags, "train.py"]))
    finally:
        torchrun.elastic_launch = original
    return seen[0].rdzv_backend, seen[0].rdzv_endpoint


def probe(rank, world_size):
    """Read backend and endpoint of the command lines of two jobs on one node."""
    assert _rendezvous("--nproc-per-node=2") == ("static", "127.0.0.1:29500")
    assert _rendezvous("--standalone", "--nproc-per-node=2") == ("c10d", "localhost:0")
    return {"one node, no flag": "static, 127.0.0.1:29500", "--standalone": "c10d, localhost:0"}
