from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
class P:
    shard = 6
    def __init__(self):
        self.mesh = init_device_mesh("cuda", (self.shard,), mesh_dim_names=("dp",))
    def apply(self, m, raf=4):
        for b in m.blocks:
            fully_shard(b, mesh=self.mesh, reshard_after_forward=raf)  # <- FSDP028
        fully_shard(m, mesh=self.mesh)
def main(m):
    P().apply(m)
