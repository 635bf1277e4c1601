import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Sampler


class Strided(Sampler):
    def __init__(self, n, seed=0):
        self.n = n // dist.get_world_size() * dist.get_world_size()
        self.seed, self.epoch = seed, 0

    def set_epoch(self, e):
        self.epoch = e

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        idx = torch.randperm(self.n, generator=g).tolist()
        return iter(idx[dist.get_rank() : self.n : dist.get_world_size()])

    def __len__(self):
        return self.n // dist.get_world_size()


def main(net, ds):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    s = Strided(len(ds))
    dl = DataLoader(ds, batch_size=4, sampler=s, drop_last=True)
    for e in range(3):
        s.set_epoch(e)
        for x in dl:
            net(x.cuda()).mean().backward()
            opt.step()
            opt.zero_grad()
