from torch.distributed.fsdp import FSDPModule, fully_shard


def parts(model):
    for part in (model.embed, model.head, model):
        fully_shard(part)


def halves(model):
    for layer in model.layers[:4]:
        fully_shard(layer)
    for layer in model.layers[4:]:
        fully_shard(layer)
    fully_shard(model)


def guarded(model):
    for _ in range(2):
        if not isinstance(model, FSDPModule):
            fully_shard(model)
