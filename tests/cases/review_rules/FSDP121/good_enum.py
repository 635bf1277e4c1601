from torch.distributed.fsdp import ShardingStrategy

strategy = ShardingStrategy.SHARD_GRAD_OP
