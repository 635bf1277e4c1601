"""A helper shards both: the layer of each round, and the root with it."""

from torch.distributed.fsdp import fully_shard


def unit(part, mesh, keep):
    return fully_shard(part, mesh=mesh, reshard_after_forward=not keep)


def main(net, mesh):
    for layer in net.decoder:
        unit(layer, mesh, keep=False)
        unit(net, mesh, keep=True)  # <- FSDP005
    return net
