from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
class Dims:
    SHARD = "shard"
    REPL = "replicate"
def mesh(nodes, gpus):
    names = (Dims.SHARD, Dims.REPL)
    return init_device_mesh("cuda", (gpus, nodes), mesh_dim_names=names)  # <- FSDP025
def main(model, nodes, gpus):
    m = mesh(nodes, gpus)
    for b in model.blocks:
        fully_shard(b, mesh=m)
    fully_shard(model, mesh=m)
