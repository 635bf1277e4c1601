from functools import partial
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from model import Block
make = partial(FSDP, use_orig_params=True)
def main(net):
    net.head = make(net.head)
    return make(net, auto_wrap_policy=ModuleWrapPolicy([Block]))  # <- FSDP014
