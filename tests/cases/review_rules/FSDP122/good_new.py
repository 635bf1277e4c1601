from torch.distributed.fsdp import fully_shard


def shard(model):
    fully_shard(model)
