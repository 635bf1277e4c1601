"""Dim 0 that the ranks do not divide: chunks as torch.chunk, empty shards at the end, right gradients."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

WORLD_SIZE = 4


def probe(rank, world_size):
    """Shard 5 rows over 4 ranks, look at shards and padding, train one step against an unsharded copy."""
    net = nn.Linear(3, 5, bias=False)
    reference = nn.Linear(3, 5, bias=False)
    reference.load_state_dict(net.state_dict())
    fully_shard(net)
    rows = [0] * world_size
    dist.all_gather_object(rows, net.weight.to_local().shape[0])
    assert rows == [2, 2, 1, 0], rows
    assert tuple(net.weight.shape) == (5, 3)
    stored = [0] * world_size
    dist.all_gather_object(stored, net.weight.to_local().untyped_storage().nbytes() // 4)
    assert stored == [6, 6, 6, 6], stored
    x = torch.ones(2, 3)
    for model in (net, reference):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        model(x).square().sum().backward()
        optimizer.step()
    assert torch.allclose(net.weight.full_tensor(), reference.weight, atol=1e-6)
    return {"rows of the ranks": rows, "stored elements of the ranks": stored, "step equals unsharded": True}
