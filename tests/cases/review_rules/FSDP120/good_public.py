from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler


def shard(model):
    fully_shard(model)
    return ShardedGradScaler()
