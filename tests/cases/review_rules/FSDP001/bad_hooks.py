"""Mini framework in the style of detectron / mmengine hooks."""
from __future__ import annotations
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Hook:
    priority = 50

    def before_run(self, runner):
        ...

    def after_iter(self, runner):
        ...


class OptimHook(Hook):
    priority = 10

    def __init__(self, lr):
        self.lr = lr

    def before_run(self, runner):
        runner.optimizer = torch.optim.AdamW(runner.model.parameters(), lr=self.lr)  # <- FSDP001


class ShardHook(Hook):
    def before_run(self, runner):
        for blk in runner.model.backbone.blocks:
            fully_shard(blk)
        fully_shard(runner.model)


class Runner:
    def __init__(self, model: nn.Module, loader):
        self.model, self.loader, self.optimizer = model, loader, None
        self.optim_hook = OptimHook(1e-4)
        self.shard_hook = ShardHook()

    def run(self):
        self.optim_hook.before_run(self)
        self.shard_hook.before_run(self)
        for batch in self.loader:
            loss = self.model(batch).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main(model, loader):
    torch.distributed.init_process_group("nccl")
    torch.cuda.set_device(torch.distributed.get_node_local_rank())
    Runner(model, loader).run()
