"""Shards initialised on CPU ranks with one seed are equal; consistent random numbers of DTensor are for CUDA."""

import torch
from _lab import Net, shard


def probe(rank, world_size):
    """Initialise after sharding on meta, with one seed and with a seed for each rank."""
    with torch.device("meta"):
        net = Net()
    shard(net).to_empty(device="cpu")
    torch.manual_seed(0)
    net.head.reset_parameters()
    full = net.head.weight.full_tensor()
    assert torch.equal(full[:4], full[4:]), "both ranks drew the same numbers"
    torch.manual_seed(rank)
    net.head.reset_parameters()
    full = net.head.weight.full_tensor()
    assert not torch.equal(full[:4], full[4:])
    return {"one seed on CPU ranks": "equal shards", "a seed for each rank": "different shards"}
