import torch.distributed.fsdp as f

STRATEGIES = {
    "full": f.ShardingStrategy.FULL_SHARD,
    "none": f.ShardingStrategy.NO_SHARD,  # <- FSDP121
}
