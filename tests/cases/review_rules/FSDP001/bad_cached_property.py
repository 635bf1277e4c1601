import functools
import torch
from torch.distributed.fsdp import fully_shard


class Exp:
    def __init__(self, net, cfg):
        self._net, self.cfg = net, cfg

    @functools.cached_property
    def optimizer(self):
        return torch.optim.AdamW(self._net.parameters(), lr=self.cfg["lr"])  # <- FSDP001

    def prepare(self):
        print("using", self.optimizer.__class__.__name__)
        for b in self._net.blocks:
            fully_shard(b)
        fully_shard(self._net)

    def fit(self, it):
        self.prepare()
        for x in it:
            self._net(x).mean().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def main(net, it):
    Exp(net, {"lr": 1e-4}).fit(it)
