from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
class Par:
    def __init__(self, dp, cp):
        self.mesh = init_device_mesh("cuda", (dp, cp), mesh_dim_names=("dp_shard", "cp"))
    def apply(self, model):
        kw = dict(mesh=self.mesh)
        for b in model.blocks:
            fully_shard(b, **kw)  # <- FSDP024
        fully_shard(model, **kw)
