import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy


def micro_batches(loader, n):
    it = iter(loader)
    while True:
        try:
            yield [next(it) for _ in range(n)]
        except StopIteration:
            return


def accumulate(net, micro):
    for j, x in enumerate(micro):
        net.set_requires_gradient_sync(j == len(micro))  # <- FSDP082
        (net(x).mean() / len(micro)).backward()


def train(net, loader):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    for micro in micro_batches(loader, 4):
        accumulate(net, micro)
        opt.step()
        opt.zero_grad()
