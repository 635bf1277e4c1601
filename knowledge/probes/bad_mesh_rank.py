"""fully_shard takes 1-D meshes and named 2-D meshes."""

from _lab import Net, raises
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Try a 3-D mesh and an unnamed 2-D mesh."""
    cube = init_device_mesh("cpu", (1, 1, world_size), mesh_dim_names=("pp", "rep", "shard"))
    three = raises(ValueError, "1D or 2D DeviceMesh", lambda: fully_shard(Net(), mesh=cube))
    unnamed = init_device_mesh("cpu", (1, world_size))
    two = raises(AssertionError, "mesh_dim_names", lambda: fully_shard(Net(), mesh=unnamed))
    fully_shard(Net(), mesh=cube["rep", "shard"])
    fully_shard(Net(), mesh=init_device_mesh("cpu", (world_size,)))
    return {"3-D": three[:50], "unnamed 2-D": two[:60], "sliced": "accepted", "unnamed 1-D": "accepted"}
