"""The optimizer of the fixture gives way to another one, which is as early."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from model import Net


def fixture():
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    return net, optimizer


def check(batches):
    net, optimizer = fixture()
    optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=1e-3)  # <- FSDP001
    net = FSDP(net)
    for batch in batches:
        net(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def main(batches):
    check(batches)
