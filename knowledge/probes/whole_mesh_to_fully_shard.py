"""A 2-D mesh means HSDP whatever its names: replicate on dim 0, shard on dim 1."""

from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard

WORLD_SIZE = 4


def probe(rank, world_size):
    """Give fully_shard a (dp_shard, cp) mesh whole, sliced, and flattened."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp_shard", "cp"))
    whole = shard(Net(), mesh=mesh)
    assert whole.inp.weight.placements == (Replicate(), Shard(0))
    assert whole.inp.weight.to_local().shape[0] == 4
    sliced = shard(Net(), mesh=mesh["dp_shard"])
    assert sliced.inp.weight.placements == (Shard(0),)
    assert sliced.inp.weight.to_local().shape[0] == 4
    flat = shard(Net(), mesh=mesh["dp_shard", "cp"]._flatten("dp_shard_cp"))
    assert flat.inp.weight.placements == (Shard(0),)
    assert flat.inp.weight.to_local().shape[0] == 2
    flat(batch(rank)).sum().backward()
    return {"rows of 8, whole mesh": 4, "rows, one dim": 4, "rows, flattened": 2}
