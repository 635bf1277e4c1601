"""torchrun on one node without a port picks a free one."""

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
    """Read backend and endpoint of one-node and two-node command lines."""
    assert _rendezvous("--nproc-per-node=2") == ("c10d", "localhost:0")
    assert _rendezvous("--nproc-per-node=2", "--master-port=29501") == ("static", "127.0.0.1:29501")
    assert _rendezvous("--nnodes=2", "--nproc-per-node=2") == ("static", "127.0.0.1:29500")
    return {"one node, no port": "c10d, localhost:0", "one node, --master-port": "static, that port"}
