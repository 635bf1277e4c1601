import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def broken(loss):
    flag = torch.isfinite(loss).logical_not().float()
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return flag.item() > 0


class Worker:
    def __init__(self, net, optimizer):
        self.net, self.optimizer = fully_shard(net), optimizer

    def update(self, batch):
        loss = self.net(**batch).loss
        if broken(loss):
            self.optimizer.zero_grad()
            return None
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        if loss.item() > 10:
            return None
        return loss.detach()

    def evaluate(self, batch):
        with torch.no_grad():
            loss = self.net(**batch).loss
        if loss > 3:
            return "bad"
        return "good"
