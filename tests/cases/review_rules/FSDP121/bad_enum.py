from torch.distributed.fsdp import ShardingStrategy

strategy = ShardingStrategy.NO_SHARD  # <- FSDP121
