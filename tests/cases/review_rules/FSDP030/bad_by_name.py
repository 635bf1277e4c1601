import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy

STRATEGY = {"full": ShardingStrategy.FULL_SHARD, "hsdp": ShardingStrategy.HYBRID_SHARD}

def main(model, dev):
    return FSDP(model, sharding_strategy=ShardingStrategy["HYBRID_SHARD"], device_id=dev)  # <- FSDP030
