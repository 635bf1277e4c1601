from lightning.fabric import strategies as s
from torch.distributed.fsdp import ShardingStrategy


def strategy(groups, policy):
    return s.FSDPStrategy(  # <- LT303
        sharding_strategy=ShardingStrategy.HYBRID_SHARD,
        auto_wrap_policy=policy,
        process_group=groups,
        device_mesh=(2, 4),
    )
