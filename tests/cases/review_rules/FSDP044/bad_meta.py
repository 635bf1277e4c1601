import torch
from torch.distributed.fsdp import fully_shard
def main(build, path, mesh):
    with torch.device("meta"):
        m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    kw = {"assign": True, "strict": True}
    m.load_state_dict(torch.load(path, mmap=True), **kw)  # <- FSDP044
