"""An optimizer built before fully_shard trains nothing and says nothing."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def _moved(optimizer, net, rank):
    before = [parameter.to_local().clone() for parameter in net.parameters()]
    net(batch(rank)).sum().backward()
    optimizer.step()
    return any(not torch.equal(old, new.to_local()) for old, new in zip(before, net.parameters(), strict=True))


def probe(rank, world_size):
    """Train one step with an optimizer built before, and one built after."""
    net = Net()
    early = torch.optim.AdamW(net.parameters(), lr=0.1)
    full_elements = sum(parameter.numel() for parameter in net.parameters())
    shard(net)
    held = [parameter for group in early.param_groups for parameter in group["params"]]
    assert not any(isinstance(parameter, DTensor) for parameter in held)
    assert sum(parameter.numel() for parameter in held) == full_elements
    assert not _moved(early, net, rank), "the early optimizer moved the model"
    assert len(early.state) == 0
    late = torch.optim.AdamW(net.parameters(), lr=0.1)
    assert _moved(late, net, rank), "the late optimizer did not move the model"
    return {"early optimizer moved weights": False, "state entries": 0, "late optimizer moved weights": True}
