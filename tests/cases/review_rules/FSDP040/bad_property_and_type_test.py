import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def tensor_stats(module):
    stats = {}
    for name, p in module.named_parameters():
        full = p.full_tensor() if isinstance(p, DTensor) else p
        stats[name] = full.float().norm().item()
    return stats


class Logger:
    def __init__(self, rank):
        self.rank = rank

    @property
    def enabled(self):
        return self.rank == 0

    def weights(self, module, step):
        if not self.enabled:  # <- FSDP040
            return
        print(step, tensor_stats(module))


def train(model, data, steps):
    for b in model.blocks:
        fully_shard(b)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    log = Logger(dist.get_rank())
    for i, (x, y) in zip(range(steps), data):
        loss = model(x, y)
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
        if i % 50 == 0:
            log.weights(model, i)
