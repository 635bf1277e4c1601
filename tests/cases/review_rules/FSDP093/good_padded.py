import torch, torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from torch.distributed.fsdp import fully_shard
def main(m, opt, ds, epochs, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    s = DistributedSampler(ds, shuffle=True)
    dl = DataLoader(ds, batch_size=4, sampler=s)
    for ep in range(epochs):
        s.set_epoch(ep)
        for x in dl:
            m(x).mean().backward()
            opt.step()
            opt.zero_grad()
