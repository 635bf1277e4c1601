from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module, ColwiseParallel
class Mesh2D:
    def __init__(self, dp, tp):
        names = ["dp", "tp"]
        self.full = init_device_mesh("cuda", (dp, tp), mesh_dim_names=tuple(names))
    @property
    def dp(self):
        return self.full
def main(model, dp, tp):
    ms = Mesh2D(dp, tp)
    parallelize_module(model, ms.full["tp"], {"w": ColwiseParallel()})
    for b in model.blocks:
        fully_shard(b, mesh=ms.dp)  # <- FSDP024
    fully_shard(model, mesh=ms.dp)
