import functools

from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy as by_class


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer()
        self.second = Layer()


def wrap():
    net = Net()
    policy = functools.partial(by_class, transformer_layer_cls={Decoder})
    return FullyShardedDataParallel(net, auto_wrap_policy=policy)  # <- FSDP013
