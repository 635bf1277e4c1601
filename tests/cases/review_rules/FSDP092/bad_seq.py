import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.distributed.fsdp import fully_shard
def main(m, x, y, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    data = TensorDataset(x, y)
    for a, b in DataLoader(data, 16, shuffle=True):  # <- FSDP092
        m(a).mean().backward()
        opt.step()
        opt.zero_grad()
