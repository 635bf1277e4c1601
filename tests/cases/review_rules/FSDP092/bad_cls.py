import torch
from torch.utils.data import DataLoader, Dataset
from torch.distributed.fsdp import fully_shard
class Corpus(Dataset):
    def __init__(self, path):
        self.rows = open(path).read().splitlines()
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        return self.rows[i]
class Data:
    def __init__(self, path, bs):
        self.args = dict(batch_size=bs, shuffle=True, drop_last=True)
        self.ds = Corpus(path)
    def loader(self):
        return DataLoader(self.ds, **self.args)  # <- FSDP092
def main(m, opt, path, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in Data(path, 4).loader():
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
