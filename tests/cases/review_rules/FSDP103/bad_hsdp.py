import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config):
    torch.manual_seed(7 + dist.get_rank())  # <- FSDP103
    model = Gpt(config)
    mesh = init_device_mesh("cuda", (2, 8), mesh_dim_names=("replicate", "shard"))
    fully_shard(model, mesh=mesh)
