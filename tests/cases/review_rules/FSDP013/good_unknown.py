from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch import nn
from zoo import Block


class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body


class Local(nn.Module):
    pass


def wrap(body):
    return FSDP(Net(body), auto_wrap_policy=ModuleWrapPolicy({Local})), FSDP(body, auto_wrap_policy=ModuleWrapPolicy({Block}))
