import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def save(m, path):
    if dist.get_rank():
        return
    torch.save(m.state_dict(), path)  # <- FSDP041
def main(build, mesh):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    save(m, "m.pt")
