"""A layer that no rank uses is no problem: its gradient stays None and the rest trains."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Partly(nn.Module):
    """Two layers in units of their own, and a third in the root; one of each is used."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.used, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)
        self.root_used, self.root_unused = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        """Use two of four."""
        return self.root_used(self.used(x))


def probe(rank, world_size):
    """Train two steps and look at the gradients."""
    net = Partly()
    fully_shard(net.used)
    fully_shard(net.unused)
    fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    before = net.used.weight.full_tensor().detach().clone()
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(2, 4)).pow(2).sum().backward()
        optimizer.step()
    have = {name: parameter.grad is not None for name, parameter in net.named_parameters()}
    assert {name.split(".")[0] for name, value in have.items() if value} == {"used", "root_used"}, have
    assert net.unused.weight not in optimizer.state
    assert not torch.equal(before, net.used.weight.full_tensor().detach())
    return {"unused on all ranks": "gradient None, no optimizer state, no hang"}
