import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def main(model, x, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    rank = dist.get_rank()
    out = model(x)
    rank == 0 and print(out.shape)
    rank or print("main")
