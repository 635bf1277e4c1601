from torch.distributed.fsdp import fully_shard
from zoo import Block


def shard(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return [layer for layer in model.layers if isinstance(layer, Block)]
