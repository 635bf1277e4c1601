"""Full plain tensors do not go into a sharded model by load_state_dict; what does work."""

import torch
from _lab import Net, raises, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.tensor import distribute_tensor


def _sharded_as(net, plain):
    own = net.state_dict()
    return {name: distribute_tensor(plain[name], own[name].device_mesh, own[name].placements) for name in own}


def probe(rank, world_size):
    """Load plain tensors in the two wrong ways, then in the three right ones."""
    torch.manual_seed(5)
    plain = {name: value.clone() for name, value in Net().state_dict().items()}
    wanted = plain["head.weight"]
    torch.manual_seed(0)
    net = shard(Net())
    mixed = "mixed torch.Tensor and DTensor"
    raises(RuntimeError, mixed, lambda: net.load_state_dict(plain))
    raises(RuntimeError, mixed, lambda: set_model_state_dict(net, dict(plain)))
    raises(AttributeError, "_local_tensor", lambda: net.load_state_dict(plain, assign=True))
    net = shard(Net())
    set_model_state_dict(net, dict(plain), options=StateDictOptions(full_state_dict=True))
    assert torch.equal(net.head.weight.full_tensor(), wanted)
    early = Net()
    early.load_state_dict(plain)
    shard(early)
    assert torch.equal(early.head.weight.full_tensor(), wanted)
    with torch.device("meta"):
        empty = Net()
    shard(empty)
    empty.load_state_dict(_sharded_as(empty, plain), assign=True)
    assert torch.equal(empty.head.weight.full_tensor(), wanted)
    return {
        "load_state_dict": mixed,
        "assign=True": "AttributeError _local_tensor",
        "three right ways": "equal weights",
    }
