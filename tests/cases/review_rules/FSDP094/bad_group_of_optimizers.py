import torch
from torch.distributed.fsdp import fully_shard


class Group:
    def __init__(self, *opts):
        self.opts = opts

    def step(self):
        for o in self.opts:
            o.step()  # <- FSDP094

    def zero_grad(self):
        for o in self.opts:
            o.zero_grad()


def main(net, dl):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    g = Group(torch.optim.AdamW(net.blocks.parameters()), torch.optim.SGD(net.head.parameters(), lr=0.1))
    for x in dl:
        net(x).mean().backward()
        g.step()
