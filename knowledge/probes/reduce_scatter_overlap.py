"""Setters for reduce-scatter overlap: a process group of its own, and more input buffers."""

import torch.distributed as dist
from _lab import Net, batch, raises, shard


def probe(rank, world_size):
    """Enable both, train, look at the group, and try bad values."""
    net = shard(Net())
    group = net.blocks[0]._get_fsdp_state()._fsdp_param_group
    shared = group._reduce_scatter_process_group
    net.set_separate_reduce_scatter_group()
    own = group._reduce_scatter_process_group
    assert own is not shared
    assert dist.get_process_group_ranks(own) == dist.get_process_group_ranks(shared)
    assert net._get_fsdp_state()._fsdp_param_group._reduce_scatter_process_group is own
    net.set_reduce_scatter_max_input_buffers(2)
    net(batch(rank)).sum().backward()
    assert net.head.weight.grad is not None
    net.set_separate_reduce_scatter_group(False)
    assert group._reduce_scatter_process_group is shared
    zero = raises(ValueError, "positive int", lambda: net.set_reduce_scatter_max_input_buffers(0))
    raises(TypeError, "must be an int", lambda: net.set_reduce_scatter_max_input_buffers(True))
    return {"own group": "one for all units", "0 buffers": zero}
