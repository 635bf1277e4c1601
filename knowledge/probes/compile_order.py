"""torch.compile before fully_shard, after it, per block or whole: all train alike; fullgraph works only before."""

import torch
from _lab import Net, batch, raises, shard


class Graphs:
    """A backend that counts the graphs and runs them as they are."""

    def __init__(self):
        """Start at zero."""
        self.count = 0

    def __call__(self, graph, _):
        """Count one graph."""
        self.count += 1
        return graph.forward


def _net(how, backend, fullgraph=False):
    torch.manual_seed(0)
    net = Net(blocks=3)
    options = {"backend": backend, "fullgraph": fullgraph}
    if how == "blocks, then shard":
        for block in net.blocks:
            block.compile(**options)
        return shard(net)
    shard(net)
    if how == "shard, then blocks":
        for block in net.blocks:
            block.compile(**options)
    elif how == "shard, then whole":
        net.compile(**options)
    return net


def _step(how, rank, fullgraph=False):
    torch._dynamo.reset()
    backend = Graphs()
    net = _net(how, backend, fullgraph)
    net(batch(rank)).sum().backward()
    return backend.count, [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Compare gradients and number of graphs; then ask for fullgraph."""
    _, reference = _step("eager", rank)
    graphs = {}
    for how in ("blocks, then shard", "shard, then blocks", "shard, then whole"):
        graphs[how], gradients = _step(how, rank)
        for ours, theirs in zip(gradients, reference, strict=True):
            torch.testing.assert_close(ours, theirs)
    assert all(count > 0 for count in graphs.values()), graphs
    _step("blocks, then shard", rank, fullgraph=True)
    message = raises(Exception, "", lambda: _step("shard, then whole", rank, fullgraph=True))
    assert "skipping FSDP hooks" in message or "disable" in message, message
    return {"graphs": graphs, "fullgraph after": message.splitlines()[0][:80]}
