"""A helper that is given another part's name, or is another helper, in each round."""

from torch.distributed.fsdp import fully_shard


def unit(net, name, mesh):
    fully_shard(getattr(net, name), mesh=mesh)


def root(net, mesh):
    fully_shard(net, mesh=mesh)


def nothing(net, mesh):
    pass


def main(net, mesh):
    for name in ("encoder", "decoder", "head", "embed", "norm", "pool"):
        unit(net, name, mesh)
    for step in (nothing, root):
        step(net, mesh)
