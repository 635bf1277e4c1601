"""A submodule with a fully_shard call and policy of its own computes in fp32 inside a bf16 model."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Routed(nn.Module):
    """A layer and a router."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.up = nn.Linear(4, 4)
        self.router = nn.Linear(4, 2)

    def forward(self, x):
        """Return the router's scores."""
        x = self.up(x)
        self.seen = x.dtype
        return self.router(x)


def probe(rank, world_size):
    """Read the dtypes inside, and count the all-gathers of one forward."""
    net = Routed()
    keep = MixedPrecisionPolicy(param_dtype=torch.float32, output_dtype=torch.bfloat16)
    fully_shard(net.router, mp_policy=keep)
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    inside = {}
    net.router.register_forward_pre_hook(
        lambda module, args: inside.update(input=args[0].dtype, weight=module.weight.dtype)
    )
    gathers = []
    name = "all_gather_single" if hasattr(dist, "all_gather_single") else "all_gather_into_tensor"
    original = getattr(dist, name)

    def noting(*args, **kwargs):
        gathers.append((args[0] if args else kwargs["output_tensor"]).dtype)
        return original(*args, **kwargs)

    setattr(dist, name, noting)
    try:
        out = net(torch.ones(2, 4))
    finally:
        setattr(dist, name, original)
    assert net.seen == torch.bfloat16, net.seen
    assert inside == {"input": torch.float32, "weight": torch.float32}, inside
    assert out.dtype == torch.bfloat16, out.dtype
    assert gathers == [torch.bfloat16, torch.float32], gathers
    out.sum().backward()
    return {"router": "input and weight fp32, output bf16", "all-gathers in forward": len(gathers)}
