from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def wrap(model):
    return FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD)  # <- FSDP030
