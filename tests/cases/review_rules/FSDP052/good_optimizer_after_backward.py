import functools
import torch
from torch.distributed.fsdp import fully_shard


class Exp:
    def __init__(self, net):
        self._net = net

    @functools.cached_property
    def net(self):
        for b in self._net.blocks:
            fully_shard(b)
        return fully_shard(self._net)

    @functools.cached_property
    def optimizer(self):
        return torch.optim.AdamW(self.net.parameters(), 1e-4)

    def fit(self, it):
        for x in it:
            self.net(x).mean().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
