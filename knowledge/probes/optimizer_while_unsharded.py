"""An optimizer built while the root is unsharded holds its gathered copies and never trains them."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def _untrained(net, optimizer, rank):
    before = {name: parameter.full_tensor().clone() for name, parameter in net.named_parameters()}
    net(batch(rank)).square().sum().backward()
    optimizer.step()
    return sorted(name for name, p in net.named_parameters() if torch.equal(before[name], p.full_tensor()))


def probe(rank, world_size):
    """Build the optimizer after a no_grad forward, then after reshard()."""
    net = shard(Net())
    with torch.no_grad():
        net(batch(rank))
    assert not isinstance(net.head.weight, DTensor)
    wrong = torch.optim.SGD(net.parameters(), lr=0.1, foreach=False)
    net.reshard()
    skipped = _untrained(net, wrong, rank)
    assert skipped == ["head.bias", "head.weight", "inp.bias", "inp.weight"], skipped
    fresh = shard(Net())
    with torch.no_grad():
        fresh(batch(rank))
    fresh.reshard()
    assert _untrained(fresh, torch.optim.SGD(fresh.parameters(), lr=0.1), rank) == []
    return {"not trained": skipped, "after reshard()": "all trained"}
