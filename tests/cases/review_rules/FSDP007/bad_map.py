from functools import partial
from torch.distributed.fsdp import FullyShardedDataParallel
W = partial(FullyShardedDataParallel, use_orig_params=True)
def shard(net):
    for blk in net.encoder.layers:
        W(blk)  # <- FSDP007
    net = W(net)
    return net
