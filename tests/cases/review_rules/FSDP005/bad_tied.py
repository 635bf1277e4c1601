from functools import partial
from torch.distributed.fsdp import fully_shard
def shard(model, mesh):
    f = partial(fully_shard, mesh=mesh)
    f(model.embed)
    for b in model.blocks:
        f(b)
    f(model.embed)  # <- FSDP005
    f(model)
