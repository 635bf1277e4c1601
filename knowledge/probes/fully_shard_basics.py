"""What fully_shard does to a module: in place, DTensor parameters, global shape, dim 0."""

from _lab import Net, batch, shard
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor, Shard


def probe(rank, world_size):
    """Shard a net per block and at the root and look at what it became."""
    net = Net()
    names = [name for name, _ in net.named_parameters()]
    original = net.inp.weight
    sharded = shard(net)
    assert sharded is net
    assert isinstance(net, FSDPModule)
    assert isinstance(net, Net)
    assert type(net) is not Net
    assert [name for name, _ in net.named_parameters()] == names
    weight = net.inp.weight
    assert weight is not original
    assert isinstance(weight, DTensor)
    assert weight.placements == (Shard(0),)
    assert tuple(weight.shape) == (8, 8)
    assert tuple(weight.to_local().shape) == (8 // world_size, 8)
    net(batch(rank)).sum().backward()
    assert isinstance(net.inp.weight.grad, DTensor)
    return {"class": type(net).__name__, "global shape": [8, 8], "local shape": [8 // world_size, 8]}
