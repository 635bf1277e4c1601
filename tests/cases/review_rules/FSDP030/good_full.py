from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def wrap(model, options, strategy):
    a = FSDP(model, sharding_strategy=ShardingStrategy.FULL_SHARD)
    b = FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD, **options)
    return a, b, FSDP(model, sharding_strategy=strategy)
