from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy

NAME = "HYBRID_SHARD"


def wrap(net, device):
    strategy = ShardingStrategy[NAME]
    for name, layer in list(net.layers.named_children()):
        net.layers.register_module(name, FSDP(layer, sharding_strategy=strategy, device_id=device))  # <- FSDP030
    return FSDP(net, sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_id=device)  # <- FSDP030
