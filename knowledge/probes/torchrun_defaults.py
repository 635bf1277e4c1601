"""What torchrun makes of its flags: defaults, rendezvous and port, without starting workers."""

import torch.distributed.run as torchrun

PROCESS_GROUP = False
WORLD_SIZE = 1


def _config(*flags):
    """Return the launch configuration that torchrun would use."""
    seen = []
    original = torchrun.elastic_launch
    torchrun.elastic_launch = lambda config, **_: lambda *command: seen.append((config, command))
    try:
        torchrun.run(torchrun.parse_args([*flags, "train.py"]))
    finally:
        torchrun.elastic_launch = original
    return seen[0]


def probe(rank, world_size):
    """Read the configuration for the usual command lines."""
    plain, command = _config()
    assert (plain.nproc_per_node, plain.min_nodes, plain.max_nodes, plain.max_restarts) == (1, 1, 1, 0)
    assert (plain.monitor_interval, plain.rdzv_configs["timeout"]) == (0.1, 900)
    assert list(command[-2:]) == ["-u", "train.py"], command  # no --local-rank
    alone, _ = _config("--standalone", "--nproc-per-node=2")
    assert (alone.rdzv_backend, alone.rdzv_endpoint) == ("c10d", "localhost:0")
    nodes, _ = _config("--nnodes=2", "--nproc-per-node=8")
    assert (nodes.rdzv_backend, nodes.rdzv_endpoint) == ("static", "127.0.0.1:29500")  # each node with itself
    ignored, _ = _config("--nnodes=2", "--rdzv-backend=c10d", "--rdzv-endpoint=head:29400", "--node-rank=1")
    assert "rank" not in ignored.rdzv_configs, ignored.rdzv_configs  # c10d gives the node ranks itself
    static, _ = _config("--nnodes=2", "--node-rank=1", "--master-addr=head")
    assert (static.rdzv_configs["rank"], static.rdzv_endpoint) == (1, "head:29500")
    elastic, _ = _config("--nnodes=1:4", "--rdzv-backend=c10d", "--rdzv-endpoint=head")
    assert (elastic.min_nodes, elastic.max_nodes) == (1, 4)
    return {
        "defaults": "1 process per node, 1 node, 0 restarts",
        "--nnodes=2 alone": "static, 127.0.0.1:29500",
        "--node-rank with c10d": "ignored",
    }
