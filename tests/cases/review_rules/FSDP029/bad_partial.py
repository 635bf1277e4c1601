from functools import partial
from torch.distributed.fsdp import fully_shard
zero2 = partial(fully_shard, reshard_after_forward=False)
def apply(model):
    for b in model.blocks:
        zero2(b)  # <- FSDP029
    zero2(model)
