import os

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, nodes):
    mesh = init_device_mesh("cuda", (8, nodes), mesh_dim_names=("shard", "replicate"))
    fully_shard(model, mesh=mesh["replicate", "shard"])


def sizes(model):
    local = int(os.environ["LOCAL_WORLD_SIZE"])
    nodes = int(os.environ["WORLD_SIZE"]) // local
    fully_shard(model, mesh=init_device_mesh("cuda", (nodes, local), mesh_dim_names=("a", "b")))
