import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def main(model, world):
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (world,))
    model.to("cuda")
    fully_shard(model, mesh=mesh)
