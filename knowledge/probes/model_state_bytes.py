"""Bytes of state for each parameter: 16 with fp32 storage and AdamW, 8 stored in bf16."""

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import MixedPrecisionPolicy


def _bytes_per_parameter(rank, world_size, stored):
    net = Net().to(stored)
    shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net(batch(rank)).sum().backward()
    optimizer.step()
    tensors = []
    for parameter in net.parameters():
        tensors += [parameter, parameter.grad]
        # `step` is one number per tensor and counts as nothing
        tensors += [optimizer.state[parameter][key] for key in ("exp_avg", "exp_avg_sq")]
    local_bytes = sum(tensor.to_local().numel() * tensor.to_local().element_size() for tensor in tensors)
    return local_bytes * world_size / sum(parameter.numel() for parameter in net.parameters())


def probe(rank, world_size):
    """Count the bytes of parameters, gradients and both moments on this rank."""
    in_fp32 = _bytes_per_parameter(rank, world_size, torch.float32)
    in_bf16 = _bytes_per_parameter(rank, world_size, torch.bfloat16)
    assert in_fp32 == 16.0, in_fp32
    assert in_bf16 == 8.0, in_bf16
    return {"stored in fp32": in_fp32, "stored in bf16": in_bf16}
