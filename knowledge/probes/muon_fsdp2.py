"""torch.optim.Muon on DTensors orthogonalises whole matrices, with communication; on local shards it does not."""

import torch
from _lab import Net, shard
from torch import nn
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode


def _whole(weight):
    return (weight.full_tensor() if isinstance(weight, DTensor) else weight).detach().clone()


def _update(net, on_shards=False):
    torch.manual_seed(0)
    weight = net.blocks[0].up.weight
    net(torch.randn(4, 8, generator=torch.Generator().manual_seed(5))).square().mean().backward()
    before = _whole(weight)
    stepped = weight
    if on_shards:
        stepped = nn.Parameter(weight.to_local().detach())
        stepped.grad = weight.grad.to_local()
    with CommDebugMode() as communication:
        torch.optim.Muon([stepped], lr=0.1).step()
    return _whole(weight) - before, communication.get_total_counts()


def _net():
    torch.manual_seed(0)
    return Net()


def probe(rank, world_size):
    """Compare one update of DTensors, and of bare shards, with the unsharded one, on equal batches."""
    plain, _ = _update(_net())
    sharded, collectives = _update(shard(_net()))
    bare, none = _update(shard(_net()), on_shards=True)
    apart = {name: ((update - plain).norm() / plain.norm()).item() for name, update in [("d", sharded), ("s", bare)]}
    assert collectives > 0
    assert none == 0
    assert apart["d"] < 0.2, apart  # Newton-Schulz runs in bf16, which amplifies rounding
    assert apart["s"] > 0.4, apart
    return {"DTensors": "as unsharded up to bf16 rounding, with collectives", "bare shards": "another update"}
