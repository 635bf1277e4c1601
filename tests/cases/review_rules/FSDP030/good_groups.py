from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def wrap(model, mesh, groups, policy):
    a = FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=mesh)
    b = FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD, process_group=groups)
    c = FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD, auto_wrap_policy=policy)
    return a, b, c
