from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard


def shard(model):
    for index, layer in enumerate(model.layers):
        model.layers[index] = checkpoint_wrapper(layer)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
