from torch.distributed.fsdp import fully_shard


def shard(model):
    for module in model.modules():
        if module.__class__.__name__ in {"Block", "Head"}:
            fully_shard(module)
    fully_shard(model)
