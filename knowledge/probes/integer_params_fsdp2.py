"""FSDP2 shards and gathers frozen integer parameters, and leaves their dtype alone."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Quantized(nn.Module):
    """A frozen integer weight with a trainable adapter."""

    def __init__(self, dtype):
        """Keep the codes in `dtype`."""
        super().__init__()
        self.weight = nn.Parameter(torch.arange(64).view(8, 8).to(dtype), requires_grad=False)
        self.adapter = nn.Linear(8, 8, bias=False)

    def forward(self, x):
        """Dequantise, apply, and add the adapter."""
        return x @ self.weight.to(x.dtype) / 64 + self.adapter(x)


def probe(rank, world_size):
    """Shard with int8 and uint8, with bf16 compute."""
    for dtype in (torch.int8, torch.uint8):
        net = Quantized(dtype)
        full = net.weight.detach().clone()
        fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
        net(torch.ones(2, 8)).sum().backward()
        assert net.weight.dtype is dtype
        assert tuple(net.weight.to_local().shape) == (8 // world_size, 8)
        assert torch.equal(net.weight.full_tensor(), full)
        assert net.adapter.weight.grad is not None
    return {"int8 and uint8, frozen": "sharded, dtype kept, adapter trains"}
