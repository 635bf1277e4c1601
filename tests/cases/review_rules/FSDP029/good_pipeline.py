from torch.distributed.fsdp import fully_shard


def apply(model, pp_enabled):
    for layer in model.layers:
        fully_shard(layer, reshard_after_forward=not pp_enabled)
    fully_shard(model)
