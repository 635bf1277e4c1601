"""FSDP1's summon_full_params gathers fp32 weights; on an FSDP2 model it does nothing."""

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Read, write and look at gradients inside the context."""
    cpu = torch.device("cpu")
    net = FSDP(Net(), device_id=cpu, use_orig_params=True, mixed_precision=MixedPrecision(param_dtype=torch.bfloat16))
    net(batch(rank)).sum().backward()
    with FSDP.summon_full_params(net, with_grads=True):
        weight = net.module.inp.weight
        assert weight.shape == (8, 8)
        assert weight.dtype == torch.float32
        assert weight.grad.shape == (8, 8)
        with torch.no_grad():
            weight.fill_(7.0)
    with FSDP.summon_full_params(net, writeback=False), torch.no_grad():
        assert bool((net.module.inp.weight == 7.0).all()), "written back by default"
        net.module.inp.weight.zero_()
    with FSDP.summon_full_params(net):
        assert bool((net.module.inp.weight == 7.0).all()), "writeback=False discards"
    new = shard(Net())
    with FSDP.summon_full_params(new):
        assert isinstance(new.inp.weight, DTensor), "nothing happened"
    return {"FSDP1": "whole fp32 weights and gradients, written back", "FSDP2": "no effect"}
