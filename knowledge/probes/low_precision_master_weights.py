"""Parameters that are bf16 when sharded stay bf16 for the optimizer, and small updates vanish."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def _step(dtype):
    net = nn.Linear(4, 4, bias=False)
    nn.init.ones_(net.weight)
    net.to(dtype)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    fully_shard(net, mp_policy=policy)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0)
    net(torch.ones(2, 4)).sum().backward()
    gradient = net.weight.grad.dtype
    optimizer.step()  # Adam's first step moves each weight by lr
    moment = optimizer.state[net.weight]["exp_avg"].dtype
    dtypes = [str(kind).removeprefix("torch.") for kind in (net.weight.dtype, gradient, moment)]
    return dtypes, float(net.weight.to_local()[0, 0])


def probe(rank, world_size):
    """One AdamW step of size 0.001 on weights of 1.0, stored in bf16 and in fp32."""
    low, low_weight = _step(torch.bfloat16)
    high, high_weight = _step(torch.float32)
    assert low == ["bfloat16"] * 3, low
    assert high == ["float32"] * 3, high
    assert low_weight == 1.0, low_weight
    assert 0.9989 < high_weight < 0.9991, high_weight
    return {
        "stored in bf16": "parameter, gradient and moment bf16; 1.0 stays 1.0",
        "stored in fp32": "1.0 becomes 0.999",
    }
