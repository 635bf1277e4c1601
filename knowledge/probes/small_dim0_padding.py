"""A parameter whose dim 0 is smaller than the number of ranks is not split into equal parts but padded."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard

WORLD_SIZE = 4


def probe(rank, world_size):
    """Compare the storage of a 1 x 64 parameter sharded on dim 0 and on dim 1."""
    by_rows = fully_shard(nn.Linear(64, 1, bias=False))
    stored = [0] * world_size
    dist.all_gather_object(stored, by_rows.weight.to_local().untyped_storage().nbytes() // 4)
    assert stored == [64, 64, 64, 64], stored
    held = [0] * world_size
    dist.all_gather_object(held, by_rows.weight.to_local().numel())
    assert held == [64, 0, 0, 0], held
    by_columns = fully_shard(nn.Linear(64, 1, bias=False), shard_placement_fn=lambda _: Shard(1))
    assert by_columns.weight.to_local().untyped_storage().nbytes() // 4 == 16
    for net in (by_rows, by_columns):
        net(torch.ones(2, 64)).sum().backward()
    return {"stored elements, Shard(0)": stored, "elements held": held, "stored elements, Shard(1)": 16}
