"""share_comm_ctx makes several roots use one set of communication streams."""

from _lab import Net, batch, raises, shard
from torch import nn
from torch.distributed.fsdp import share_comm_ctx


def probe(rank, world_size):
    """Share among two roots, train both, and try a plain module."""
    first, second = shard(Net()), shard(Net())
    share_comm_ctx([first, second])
    assert first._get_fsdp_state()._comm_ctx is second._get_fsdp_state()._comm_ctx
    for net in (first, second):
        net(batch(rank)).sum().backward()
        assert net.head.weight.grad is not None
    message = raises(ValueError, "list of FSDPModules", lambda: share_comm_ctx([first, nn.Linear(2, 2)]))
    return {"two roots": "one context", "plain module": message[:40]}
