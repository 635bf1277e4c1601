"""DTensor.from_local infers a wrong global shape from uneven shards unless shape and stride are given."""

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor


def probe(rank, world_size):
    """Build 3 rows over 2 ranks in three ways."""
    mesh = init_device_mesh("cpu", (world_size,))
    full = torch.arange(6.0).view(3, 2)
    local = full[:2] if rank == 0 else full[2:]
    guessed = DTensor.from_local(local, mesh, [Shard(0)])
    assert guessed.shape[0] == 2 * local.shape[0], guessed.shape
    told = DTensor.from_local(local, mesh, [Shard(0)], shape=full.shape, stride=full.stride())
    assert torch.equal(told.full_tensor(), full)
    spread = distribute_tensor(full, mesh, [Shard(0)])
    assert tuple(spread.to_local().shape) == tuple(local.shape)
    assert torch.equal(spread.full_tensor(), full)
    return {"rows inferred here": guessed.shape[0], "rows with shape and stride": told.shape[0]}
