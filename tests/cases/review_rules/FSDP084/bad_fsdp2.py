from torch.distributed.fsdp import fully_shard


def train(model, x):
    fully_shard(model)
    with model.no_sync():  # <- FSDP084
        model(x).sum().backward()
