"""An empty local shard breaks reductions in our own code, not FSDP's optimizer or norm."""

import torch
import torch.distributed as dist
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Shard a one-row parameter over two ranks; step, clip, and use the local shard by hand."""
    net = fully_shard(nn.Linear(4, 1, bias=False))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(torch.ones(2, 4)).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 100.0)
    assert abs(norm.full_tensor().item() - 4.0) < 1e-5, norm
    optimizer.step()
    local = net.weight.to_local()
    assert tuple(local.shape) == ((1, 4) if rank == 0 else (0, 4))
    failure = ""
    if local.numel() == 0:
        failure = raises(Exception, "", lambda: local.abs().max())
        assert torch.isnan(local.mean())
    full = net.weight.full_tensor()
    assert full.shape == (1, 4)
    failures = [""] * world_size
    dist.all_gather_object(failures, failure)
    assert not failures[0]
    assert failures[1]
    return {"max of the empty shard on rank 1": failures[1][:60], "norm over all ranks": 4.0}
