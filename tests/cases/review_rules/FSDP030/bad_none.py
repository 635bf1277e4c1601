import torch.distributed.fsdp as f

STRATEGY = f.ShardingStrategy._HYBRID_SHARD_ZERO2


def wrap(model, device):
    return f.FullyShardedDataParallel(
        model, sharding_strategy=STRATEGY, device_id=device, process_group=None  # <- FSDP030
    )
