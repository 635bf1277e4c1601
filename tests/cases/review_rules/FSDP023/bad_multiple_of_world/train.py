import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def main(net):
    torch.distributed.init_process_group("nccl")
    n = torch.distributed.get_world_size()
    mesh = init_device_mesh("cuda", (2 * n,))  # <- FSDP023
    for b in net.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
