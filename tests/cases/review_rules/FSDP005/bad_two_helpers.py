import torch
from torch.distributed.fsdp import fully_shard


def shard_attn(net):
    for blk in net.layers:
        fully_shard(blk)


def shard_all(net, opts):
    shard_attn(net)
    for i, blk in enumerate(net.layers):
        fully_shard(blk, **opts)  # <- FSDP005
    fully_shard(net, **opts)


def main(net):
    shard_all(net, {"reshard_after_forward": True})
