from functools import partial

from torch.distributed.fsdp import FullyShardedDataParallel


def wrap(model, device):
    shard = partial(FullyShardedDataParallel, device_id=device)
    shard(model.encoder)  # <- FSDP007
    return shard(model)
