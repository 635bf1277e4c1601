import torch
from torch.utils.data import DataLoader, RandomSampler
from torch.distributed.fsdp import fully_shard
def loaders(ds, bs):
    kw = {"batch_size": bs, "num_workers": 2}
    return DataLoader(ds, sampler=RandomSampler(ds), **kw)  # <- FSDP092
def main(m, ds, mesh):
    torch.manual_seed(0)
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    opt = torch.optim.AdamW(m.parameters())
    for x in loaders(ds, 4):
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
