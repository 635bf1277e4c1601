import torch
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for batch in loader:
        mask = batch["labels"] != -100
        if mask.sum() == 0:  # <- FSDP086
            continue
        loss = m(batch["x"])[mask].mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
