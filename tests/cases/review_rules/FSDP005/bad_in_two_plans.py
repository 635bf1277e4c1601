from torch.distributed.fsdp import fully_shard

from net import Net


def blocks(model):
    for block in model.layers:
        fully_shard(block)


def whole(model):
    fully_shard(model)


def main(lean):
    model = Net()
    plan = blocks if lean else whole
    plan(model)
    fully_shard(model)  # <- FSDP005
    fully_shard(model)  # <- FSDP005
