import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def main(model, opt, mesh, path):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    cpu = {k: v.cpu() for k, v in model.state_dict().items()}
    if dist.get_rank() == 0:
        torch.save(cpu, path)  # <- FSDP041
