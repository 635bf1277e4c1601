import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def sort(parameters, decay):
    matrices, vectors = [], []
    for parameter in parameters:
        if parameter.requires_grad and parameter.dim() >= 2:  # <- FSDP017
            matrices.append(parameter)
        else:
            vectors.append(parameter)
    return [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]


class Run:
    def __init__(self, net, policy):
        self.net = FSDP(net, auto_wrap_policy=policy, use_orig_params=True)
        self.optimizer = torch.optim.AdamW(sort(self.net.parameters(), 0.1))
