"""Meta init, fully_shard, to_empty, reset; what is missing when a step of it is left out."""

import torch
from _lab import Net, batch, raises, shard
from torch import nn


class Own(nn.Module):
    """A module whose constructor fills a parameter that no initialiser knows."""

    def __init__(self):
        """Make the parameter."""
        super().__init__()
        self.decay = nn.Parameter(torch.ones(8))

    def forward(self, x):
        """Scale."""
        return x * self.decay


def _meta():
    with torch.device("meta"):
        net = Net()
        net.own = Own()
    return shard(net)


def _reset(net):
    for module in net.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()


def probe(rank, world_size):
    """Forward on meta; then materialise with uninitialised memory filled with NaN, so that it shows."""
    message = "should be materialized from meta device"
    raises(RuntimeError, message, lambda: _meta()(batch(rank)))
    net = _meta()
    assert net.head.weight.is_meta
    assert net.head.weight.to_local().shape == (4, 8)
    torch.use_deterministic_algorithms(True)  # fills torch.empty with NaN
    try:
        net.to_empty(device="cpu")
    finally:
        torch.use_deterministic_algorithms(False)
    assert net.head.weight.to_local().shape == (4, 8), "only the shard is allocated"
    assert bool(net(batch(rank)).isnan().all()), "to_empty alone trains on uninitialised memory"
    net.reshard()
    _reset(net)
    assert not bool(net.head.weight.to_local().isnan().any())
    assert bool(net.own.decay.to_local().isnan().all()), "reset_parameters does not know this one"
    out = net(batch(rank))
    assert not bool(out.isnan().any())
    out.sum().backward()
    return {
        "forward on meta": message,
        "to_empty alone": "NaN",
        "after reset": "finite",
        "parameter without reset": "NaN",
    }
