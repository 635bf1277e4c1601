"""Reductions of one sharded parameter are partial: .item() gives this rank's part."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Row 0 of the weight is on rank 0 and holds ones, row 1 on rank 1 and holds threes."""
    net = nn.Linear(4, 2, bias=False)
    with torch.no_grad():
        net.weight[0].fill_(1.0)
        net.weight[1].fill_(3.0)
    fully_shard(net)
    weight = net.weight.detach()
    seen = {}
    for name, true in (("sum", 16.0), ("max", 3.0), ("norm", 40.0**0.5), ("mean", 2.0)):
        reduced = getattr(weight, name)()
        seen[name] = (reduced.item(), float(reduced.full_tensor()), true, reduced.placements[0].is_partial())
    for name, (local, full, true, partial) in seen.items():
        assert abs(full - true) < 1e-5, (name, full)
        assert partial, (name, partial)
        if rank == 0:
            assert abs(local - true) > 0.1, (name, local)
    # a comparison reduces first, which is right but a collective: a rank that asks alone waits
    assert bool(weight.sum() > 10.0) is True, "4 on rank 0, 12 on rank 1, 16 in all"
    return {name: f"rank 0: {values[0]:.3g}, full: {values[1]:.3g}" for name, values in seen.items()}
