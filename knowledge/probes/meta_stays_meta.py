"""fully_shard moves managed states to the mesh's device, but leaves meta tensors on meta."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Shard a meta model, try to run it, materialise and run."""
    with torch.device("meta"):
        net = Net()
    shard(net)
    assert net.head.weight.device.type == "meta"
    assert isinstance(net.head.weight, DTensor)
    message = raises(RuntimeError, "materialized from meta device", lambda: net(batch(rank)))
    with torch.device("meta"):
        net = Net()
    shard(net).to_empty(device="cpu")
    assert net.head.weight.to_local().shape[0] == 8 // world_size
    for parameter in net.parameters():
        torch.nn.init.ones_(parameter)
    net(batch(rank)).sum().backward()
    return {"forward on meta": message[:60], "after to_empty": "only the shard is allocated, trains"}
