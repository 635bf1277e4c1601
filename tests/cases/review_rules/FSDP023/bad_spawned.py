import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

GPUS = 8


class Plan:
    replicas = 3
    shards = 4

    @property
    def shape(self):
        return self.replicas, self.shards


def main(rank, plan, build):
    dist.init_process_group("nccl", rank=rank, world_size=GPUS)
    mesh = init_device_mesh("cuda", plan.shape, mesh_dim_names=("replicate", "shard"))  # <- FSDP023
    model = build().cuda()
    fully_shard(model, mesh=mesh)


def launch(build):
    mp.spawn(main, args=(Plan(), build), nprocs=GPUS)
