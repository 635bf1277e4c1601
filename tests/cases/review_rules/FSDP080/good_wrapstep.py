import functools
from torch.distributed.fsdp import fully_shard
def patch(model):
    old = model.forward
    @functools.wraps(old)
    def new(*a, **k):
        return old(*a, **k)
    model.forward = new
    return model
def main(build, mesh, x):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    patch(m)
    return m(x)
