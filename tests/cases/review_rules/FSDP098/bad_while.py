import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net, optimizer):
        self.net, self.optimizer, self.finished = fully_shard(net), optimizer, False

    def fit(self, batches, score):
        while not self.finished:  # <- FSDP098
            for x in batches:
                self.net(x).sum().backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            if dist.get_rank() == 0:
                self.finished = score() < 0.1
