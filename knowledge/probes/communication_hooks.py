"""FSDP1 has register_comm_hook; FSDP2 has other places to change the reduction."""

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel, MixedPrecisionPolicy


def probe(rank, world_size):
    """Look for the hook, then reduce in bf16 instead."""
    assert hasattr(FullyShardedDataParallel, "register_comm_hook")
    assert not hasattr(FSDPModule, "register_comm_hook")
    assert all(hasattr(FSDPModule, name) for name in ("set_custom_reduce_scatter", "set_all_reduce_hook"))
    net = shard(Net(), mp_policy=MixedPrecisionPolicy(reduce_dtype=torch.bfloat16))
    net(batch(rank)).sum().backward()
    gradient = net.blocks[0].up.weight.grad.full_tensor()
    assert gradient.dtype == torch.float32
    assert torch.equal(gradient, gradient.bfloat16().float()), "not rounded to bf16"
    return {"register_comm_hook": "FSDP1 only", "reduce_dtype=bf16": "halves the reduce-scatter"}
