import torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from torch.distributed.fsdp import fully_shard
class Mine(Dataset):
    def __init__(self, rows):
        n = dist.get_world_size()
        keep = len(rows) // n * n
        self.rows = rows[:keep][dist.get_rank()::n]
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        return self.rows[i]
def main(m, opt, rows, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in DataLoader(Mine(rows), batch_size=4, shuffle=True, drop_last=True):
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
