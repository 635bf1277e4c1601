"""set_is_last_backward(False) leaves FSDP's prefetch order in place for another backward of the same forward."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Two losses of two forwards, two backwards; the same gradient with and without the flag."""
    results = []
    for flag in (True, False):
        torch.manual_seed(0)
        net = shard(Net())
        first, second = net(batch(rank)).sum(), net(batch(rank + 7)).sum()
        net.set_is_last_backward(not flag)
        first.backward()
        kept = len(net._get_fsdp_state()._comm_ctx.post_forward_order)
        net.set_is_last_backward(True)
        second.backward()
        cleared = len(net._get_fsdp_state()._comm_ctx.post_forward_order)
        assert (kept > 0) is flag, kept
        assert cleared == 0
        results.append(net.head.weight.grad.full_tensor())
    assert torch.allclose(results[0], results[1], atol=1e-6)
    return {"order kept until the last backward": True, "gradients equal": True}
