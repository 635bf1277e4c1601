import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch.distributed.fsdp import fully_shard
class Data:
    def __init__(self, ds):
        self.sampler = DistributedSampler(ds)  # <- FSDP093
        self.loader = DataLoader(ds, batch_size=2, sampler=self.sampler)
def main(m, ds, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    data = Data(ds)
    for ep in range(3):
        for x in data.loader:
            m(x).mean().backward()
            opt.step()
            opt.zero_grad()
