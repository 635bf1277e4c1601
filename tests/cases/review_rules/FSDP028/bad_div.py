from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
def apply(model):
    mesh = init_device_mesh("cuda", (8,))
    raf = 3
    for b in model.blocks:
        fully_shard(b, mesh=mesh, reshard_after_forward=raf)  # <- FSDP028
    fully_shard(model, mesh=mesh)
