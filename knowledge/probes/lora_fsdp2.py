"""LoRA under FSDP2 with plain per-block wrapping: frozen bf16 base and fp32 adapters in one group."""

import torch
from _lab import batch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


class Lora(nn.Module):
    """Frozen linear layer with an adapter."""

    def __init__(self, width=8, rank=2):
        """Freeze the base."""
        super().__init__()
        self.base = nn.Linear(width, width, bias=False).bfloat16().requires_grad_(False)
        self.a = nn.Linear(width, rank, bias=False)
        self.b = nn.Linear(rank, width, bias=False)

    def forward(self, x):
        """Add base and adapter."""
        return self.base(x.bfloat16()).float() + self.b(self.a(x))


def probe(rank, world_size):
    """Train two steps and look at what the frozen weights cost."""
    net = nn.Sequential(Lora(), Lora())
    for layer in net:
        fully_shard(layer)
    fully_shard(net)
    trainable = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=0.1)
    frozen = net[0].base.weight.to_local().clone()
    for _ in range(2):
        net(batch(rank)).square().mean().backward()
        assert net[0].base.weight.grad is None
        optimizer.step()
        optimizer.zero_grad()
    assert isinstance(net[0].base.weight, DTensor)
    assert tuple(net[0].base.weight.to_local().shape) == (8 // world_size, 8)
    assert torch.equal(net[0].base.weight.to_local(), frozen)
    assert len(optimizer.state) == len(trainable) == 4
    return {"frozen": "sharded, bf16, no gradient, no state", "trained": len(trainable)}
