import torch
from torch.distributed.fsdp import fully_shard
def main(m, loader, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in loader:
        loss = m(x).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step(); opt.zero_grad()
        print("norm {:.2f} loss {:.3f}".format(norm, loss.item()))  # <- FSDP070
