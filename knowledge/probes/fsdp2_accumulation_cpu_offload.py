"""FSDP2 with CPUOffloadPolicy adds the gradients of two backward passes."""

import torch
from torch import nn
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard


def probe(rank, world_size):
    """Compare the gradient after two passes with that after one."""
    net = fully_shard(nn.Linear(4, 4, bias=False), offload_policy=CPUOffloadPolicy(pin_memory=False))
    x = torch.ones(2, 4)
    net(x).sum().backward()
    once = net.weight.grad.to_local().clone()
    net(x).sum().backward()
    torch.testing.assert_close(net.weight.grad.to_local(), 2 * once)
    return {"after two passes": "twice the gradient"}
