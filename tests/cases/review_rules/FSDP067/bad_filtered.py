import torch
from torch.distributed import fsdp


def wrap(net, policy):
    return fsdp.FullyShardedDataParallel(net, policy, use_orig_params=True)


def clip(net, limit):
    trainable = [p for p in net.parameters() if p.requires_grad]
    return torch.nn.utils.clip_grad_norm_(trainable, limit)  # <- FSDP067


def main(net, policy, x):
    net = wrap(net, policy)
    net(x).sum().backward()
    clip(net, 1.0)
