from torch.distributed.fsdp import fully_shard
from torch.optim.swa_utils import AveragedModel


def shard(net):
    for layer in net.layers:
        fully_shard(layer)
    return fully_shard(net)


def main(net):
    net = shard(net)
    return AveragedModel(net)  # <- FSDP011
