"""unshard() and reshard() act on one module's group only; async_op gives a handle; param_dtype is followed."""

import torch
from _lab import Net, shard
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy
from torch.distributed.tensor import DTensor


def _sharded(net):
    return [isinstance(module.weight, DTensor) for module in (net.head, net.blocks[0].up)]


def probe(rank, world_size):
    """Unshard root and block, one by one, then with a handle, then recursively by a loop."""
    net = shard(Net(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    assert net.unshard() is None
    assert _sharded(net) == [False, True]
    assert net.head.weight.dtype is torch.bfloat16
    assert tuple(net.head.weight.shape) == (8, 8)
    net.reshard()
    assert _sharded(net) == [True, True]
    assert net.head.weight.dtype is torch.float32
    handle = net.blocks[0].unshard(async_op=True)
    handle.wait()
    assert _sharded(net) == [True, False]
    net.reshard()
    assert _sharded(net) == [True, False]
    for module in net.modules():
        if isinstance(module, FSDPModule):
            module.reshard()
    assert _sharded(net) == [True, True]
    return {"unshard of the root": "root only", "dtype unsharded": "bfloat16", "reshard": "not recursive"}
