from functools import partial

from torch.distributed import fsdp
from zoo import Block


def shard_blocks(net, wrap):
    for part in net.modules():
        if isinstance(part, Block):
            wrap(part)


def shard(net, mesh):
    wrap = partial(fsdp.fully_shard, mesh=mesh)
    wrap(net.decoder)  # <- FSDP003
    shard_blocks(net.decoder, wrap)
    wrap(net)
