"""set_all_reduce_hook: own code sees the reduced gradient shard of a group before it becomes .grad."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Double the gradient of the root's group in the hook."""
    torch.manual_seed(0)
    plain = shard(Net())
    torch.manual_seed(0)
    hooked = shard(Net())
    sizes = []

    def double(reduced):
        sizes.append(reduced.numel())
        reduced.mul_(2)

    hooked.set_all_reduce_hook(double)
    for net in (plain, hooked):
        net(batch(rank)).square().mean().backward()
    assert len(sizes) == 1, sizes
    assert torch.allclose(hooked.head.weight.grad.full_tensor(), 2 * plain.head.weight.grad.full_tensor())
    up = hooked.blocks[0].up.weight.grad.full_tensor()
    assert torch.allclose(up, plain.blocks[0].up.weight.grad.full_tensor())
    return {"calls per backward for the root's group": 1, "children": "not hooked"}
