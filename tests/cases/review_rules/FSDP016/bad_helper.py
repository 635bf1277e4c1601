import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def grouped(net):
    yes, no = [], []
    for name, parameter in net.named_parameters():
        (no if name.endswith("norm.weight") else yes).append(parameter)  # <- FSDP016
    return [{"params": yes}, {"params": no, "weight_decay": 0.0}]


class Run:
    def __init__(self, net, policy):
        self.net = FSDP(net, auto_wrap_policy=policy, use_orig_params=False)
        self.optimizer = torch.optim.AdamW(grouped(self.net))
