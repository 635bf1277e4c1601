from torch.distributed import device_mesh
from torch.distributed.fsdp import fully_shard

MESH = device_mesh.init_device_mesh("cuda", (2, 4))  # <- FSDP026


def apply(model):
    for layer in model.layers:
        fully_shard(layer, mesh=MESH)
    fully_shard(model, mesh=MESH)
