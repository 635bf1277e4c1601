from torch.distributed.fsdp import ShardingStrategy


def needs_gather(policy):
    return policy.sharding_strategy != ShardingStrategy.NO_SHARD
