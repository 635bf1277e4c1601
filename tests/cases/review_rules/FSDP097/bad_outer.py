import torch
from torch.distributed.fsdp import fully_shard
def main(m, loader, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in loader:
        try:
            m(x).mean().backward()
            opt.step()
        except RuntimeError as e:  # <- FSDP097
            if "out of memory" not in str(e):
                raise
            torch.cuda.empty_cache()
        finally:
            opt.zero_grad()
