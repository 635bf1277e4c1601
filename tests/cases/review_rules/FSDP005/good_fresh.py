from torch.distributed.fsdp import fully_shard
from zoo import build


def sweep(configs):
    for config in configs:
        model = build(config)
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)


def either(model, a):
    if a:
        fully_shard(model, reshard_after_forward=True)
    else:
        fully_shard(model, reshard_after_forward=False)
