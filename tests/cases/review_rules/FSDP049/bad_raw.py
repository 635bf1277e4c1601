import torch
from torch.distributed.fsdp import fully_shard
def build(m, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return torch.compile(m)
def main(m, mesh, path):
    model = build(m, mesh)
    torch.save({"model": model.state_dict()}, path)  # <- FSDP049
