"""A non-persistent buffer: no state dict fills it, a broadcast load leaves it on meta, to_empty wipes it."""

import torch
from _lab import Net, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict


def _net():
    net = Net()
    net.register_buffer("inv_freq", torch.arange(4.0), persistent=False)
    net.register_buffer("scale", torch.ones(4))
    return net


def _sharded_on_meta():
    with torch.device("meta"):
        net = _net()
    return shard(net)


def probe(rank, world_size):
    """Load from rank 0 into a net on meta, with and without to_empty before."""
    full = _net().state_dict()
    assert "inv_freq" not in full
    assert "scale" in full
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    net = _sharded_on_meta()
    set_model_state_dict(net, dict(full) if rank == 0 else {}, options=options)
    assert not net.head.weight.is_meta
    assert not net.scale.is_meta
    assert net.inv_freq.is_meta, "nothing fills a non-persistent buffer"
    net = _sharded_on_meta()
    torch.use_deterministic_algorithms(True)  # fills torch.empty with NaN
    try:
        net.to_empty(device="cpu")
    finally:
        torch.use_deterministic_algorithms(False)
    set_model_state_dict(net, dict(full) if rank == 0 else {}, options=options)
    assert bool((net.scale == 1).all())
    assert bool(net.inv_freq.isnan().all())
    net.inv_freq = torch.arange(4.0)
    assert "inv_freq" not in net.state_dict(), "it stays non-persistent"
    return {"without to_empty": "inv_freq on meta", "with to_empty": "inv_freq uninitialised", "scale": "loaded"}
