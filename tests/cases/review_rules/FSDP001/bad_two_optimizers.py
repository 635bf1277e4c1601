import torch
from torch.distributed.fsdp import fully_shard

from model import Net


def main(batches):
    net = Net()
    matrices = torch.optim.Muon([p for p in net.parameters() if p.ndim == 2], lr=1e-3)  # <- FSDP001
    rest = torch.optim.AdamW([p for p in net.parameters() if p.ndim != 2], lr=1e-3)  # <- FSDP001
    fully_shard(net)
    for batch in batches:
        net(batch).sum().backward()
        for optimizer in (matrices, rest):
            optimizer.step()
            optimizer.zero_grad()
