import torch
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler
import torch.distributed as dist


class Loader:
    def __init__(self, ds, bs):
        self.sampler = DistributedSampler(ds, seed=1)
        self.dl = DataLoader(ds, bs, sampler=self.sampler)
        self.epoch = 0

    def __iter__(self):
        self.sampler.set_epoch(self.epoch)
        self.epoch += 1
        yield from self.dl

    def __len__(self):
        return len(self.dl)


def main(net, ds):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    l = Loader(ds, 4)
    for _ in range(3):
        for x in l:
            net(x).mean().backward()
            opt.step()
            opt.zero_grad()
