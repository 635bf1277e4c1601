"""torchrun --standalone --nproc-per-node=8 train.py"""

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Plan:
    replicas: int = 2
    shards: int = 2

    def mesh(self):
        return init_device_mesh("cuda", (self.replicas, self.shards), mesh_dim_names=("replicate", "shard"))  # <- FSDP023


def main(model):
    return fully_shard(model, mesh=Plan().mesh())
