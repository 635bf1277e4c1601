from torch.distributed._composable import fully_shard  # <- FSDP120


def shard(model):
    fully_shard(model)
