"""With param_dtype bf16 and no reduce_dtype, gradients are summed over the ranks in bf16."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

SMALL = 2.0**-9
"""Lost beside 1.0 in bf16 (8 significant bits), kept in fp32."""


def _gradient(rank, reduce_dtype):
    net = nn.Linear(2, 2, bias=False)
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce_dtype))
    # d(sum of outputs)/dW is the input: 1.0 on rank 0, SMALL on the others
    value = 1.0 if rank == 0 else SMALL
    net(torch.full((1, 2), value)).sum().backward()
    gradient = net.weight.grad
    assert gradient.dtype == torch.float32, "the stored gradient has the parameter's own dtype"
    return float(gradient.to_local().flatten()[0])


def probe(rank, world_size):
    """Sum 1.0 and a number that bf16 loses beside it, with both settings of reduce_dtype."""
    assert dist.get_world_size() == 2
    implicit = _gradient(rank, None)
    explicit = _gradient(rank, torch.float32)
    # whether the sum is then divided by the ranks is another question
    assert explicit / implicit == 1.0 + SMALL, (implicit, explicit)
    return {"reduce_dtype=None": implicit, "reduce_dtype=float32": explicit}
