from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def main(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    with FSDP.summon_full_params(model):  # <- FSDP020
        print(model.head.weight.sum())
