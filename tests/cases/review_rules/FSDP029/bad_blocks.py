from torch.distributed.fsdp import fully_shard


def apply(model):
    for layer in model.layers:
        fully_shard(layer, reshard_after_forward=False)  # <- FSDP029
    fully_shard(model)
