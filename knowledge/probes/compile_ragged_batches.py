"""A smaller last batch makes torch.compile compile again, with dynamic shapes."""

import torch
from _lab import Net, batch, shard


def _compilations(rank, sizes, prepare=lambda x: x):
    torch._dynamo.reset()
    dynamic = []

    def backend(graph, inputs):
        dynamic.append(any(isinstance(size, torch.SymInt) for size in inputs))
        return graph.forward

    net = Net(blocks=1)
    net.blocks[0].compile(backend=backend)
    shard(net)
    for size in sizes:
        net(prepare(batch(rank, size=size))).sum().backward()
    return dynamic


def probe(rank, world_size):
    """Run equal batches, then an epoch that ends with a smaller one."""
    equal = _compilations(rank, (8, 8, 8))
    ragged = _compilations(rank, (8, 8, 3))
    later = _compilations(rank, (8, 3, 5, 6))
    assert equal == [False], equal
    assert ragged == [False, True], ragged
    assert later == [False, True], later
    return {"equal batches": len(equal), "smaller last batch": "second compilation, dynamic shapes"}
