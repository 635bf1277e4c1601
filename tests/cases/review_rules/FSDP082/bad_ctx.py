import contextlib
import torch
from torch.distributed.fsdp import fully_shard
@contextlib.contextmanager
def no_grad_sync(model):
    model.set_requires_gradient_sync(False)  # <- FSDP082
    yield
def train(m, opt, batches, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for group in batches:
        with no_grad_sync(m):
            for x in group[:-1]:
                m(x).mean().backward()
        m(group[-1]).mean().backward()
        opt.step()
        opt.zero_grad()
