from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
LAYOUT = {"dp_shard": 8, "dp_replicate": 2}
def main(model):
    mesh = init_device_mesh("cuda", tuple(LAYOUT.values()), mesh_dim_names=tuple(LAYOUT.keys()))  # <- FSDP025
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
