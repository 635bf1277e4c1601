import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net, optimizer):
        self.net, self.optimizer, self.finished = fully_shard(net), optimizer, False

    def fit(self, batches, score):
        while not self.finished:
            for x in batches:
                self.net(x).sum().backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            flag = torch.zeros(1, device="cuda")
            if dist.get_rank() == 0:
                flag.fill_(float(score() < 0.1))
            dist.broadcast(flag, src=0)
            self.finished = bool(flag.item())
