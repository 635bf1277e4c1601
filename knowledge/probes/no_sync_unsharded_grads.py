"""Without gradient sync each rank keeps the whole gradient, in reduce_dtype, and shows none to the optimizer."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def _held(net):
    """Return (elements, dtype) of the gradient that FSDP keeps aside for the weight."""
    weight = net._get_fsdp_state()._fsdp_param_group.fsdp_params[0]
    kept = weight.unsharded_accumulated_grad
    if kept is None:
        kept = weight._unsharded_param.grad
    return kept.numel(), str(kept.dtype).removeprefix("torch.")


def probe(rank, world_size):
    """One backward without sync, one with it."""
    x = torch.ones(2, 8)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    net = fully_shard(nn.Linear(8, 8, bias=False), mp_policy=policy)
    net.set_requires_gradient_sync(False)
    net(x).sum().backward()
    assert net.weight.grad is None
    held = _held(net)
    assert held == (64, "float32"), held
    net.set_requires_gradient_sync(True)
    net(x).sum().backward()
    sharded = net.weight.grad.to_local().numel()
    assert sharded == 32, sharded
    assert net._get_fsdp_state()._fsdp_param_group.fsdp_params[0].unsharded_accumulated_grad is None
    plain = fully_shard(nn.Linear(8, 8, bias=False), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    plain.set_requires_gradient_sync(False)
    plain(x).sum().backward()
    assert _held(plain) == (64, "bfloat16"), _held(plain)
    return {"without sync": "64 of 64 elements, fp32; p.grad is None", "with sync": f"{sharded} of 64 elements"}
