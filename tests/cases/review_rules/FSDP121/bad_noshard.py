import torch.distributed.fsdp as F
S = {"ddp": F.ShardingStrategy.NO_SHARD}  # <- FSDP121
def w(m):
    return F.FullyShardedDataParallel(m, sharding_strategy=S["ddp"])
