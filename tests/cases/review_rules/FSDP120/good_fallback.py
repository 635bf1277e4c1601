try:
    from torch.distributed.fsdp import fully_shard
except ImportError:
    from torch.distributed._composable import fully_shard


def shard(model):
    fully_shard(model)
