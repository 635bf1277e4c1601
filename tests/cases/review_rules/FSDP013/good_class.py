import functools

from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, transformer_auto_wrap_policy


class Base(nn.Module):
    pass


class Block(Base):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(n)])


def wrap():
    return FSDP(Net(4), auto_wrap_policy=ModuleWrapPolicy({Block}))


def by_base():
    return FSDP(Net(4), auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Base}))
