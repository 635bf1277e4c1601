import torch
from torch.distributed.fsdp import fully_shard
def put(m, sd):
    m.load_state_dict(sd, assign=True)  # <- FSDP044
def main(build, path, mesh):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    put(m, torch.load(path, map_location="cpu"))
