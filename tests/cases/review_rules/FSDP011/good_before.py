import copy

from torch.distributed.fsdp import fully_shard


def setup(model):
    ema = copy.deepcopy(model)
    for net in (model, ema):
        fully_shard(net)
    return model, ema
