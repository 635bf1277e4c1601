from torch.distributed.fsdp import fully_shard


def build(model):
    fully_shard(model)
    print(sum(p.numel() for p in model.parameters()))
