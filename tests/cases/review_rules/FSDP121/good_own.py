from fsdp_project import ShardingStrategy

strategy = ShardingStrategy.NO_SHARD
