from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Parallel:
    def __init__(self, n):
        self.mesh = init_device_mesh("cuda", (n, 2), mesh_dim_names=("dp_shard", "cp"))

    def apply(self, model):
        fully_shard(model, mesh=self.mesh)  # <- FSDP024
