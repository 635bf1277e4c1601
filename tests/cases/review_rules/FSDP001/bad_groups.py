import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy


def param_groups(model, wd):
    decay = [p for n, p in model.named_parameters() if "norm" not in n]
    rest = [p for n, p in model.named_parameters() if "norm" in n]
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]


def setup(net, policy, device):
    optim = torch.optim.SGD(param_groups(net, 0.1), lr=0.1)  # <- FSDP001
    net = FSDP(net, auto_wrap_policy=policy, device_id=device, sharding_strategy=ShardingStrategy.FULL_SHARD)
    return net, optim
