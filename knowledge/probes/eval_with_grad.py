"""Evaluation without no_grad stays correct but keeps order entries and the graph."""

import torch
from _lab import Net, batch, shard


def _train(rank, evaluate):
    torch.manual_seed(0)
    net = shard(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    kept = 0
    for _ in range(2):
        optimizer.zero_grad()
        net(batch(rank)).pow(2).mean().backward()
        optimizer.step()
        evaluate(net)
        kept = len(net._get_fsdp_state()._comm_ctx.post_forward_order)
        net.reshard()
    return [parameter.full_tensor().detach() for parameter in net.parameters()], kept


def probe(rank, world_size):
    """Train two steps with an evaluation after each, with and without gradients."""

    def with_grad(net):
        for _ in range(4):
            net(batch(rank + 9))

    def without(net):
        with torch.no_grad():
            with_grad(net)

    reference, _ = _train(rank, lambda _: None)
    graded, many = _train(rank, with_grad)
    ungraded, few = _train(rank, without)
    for left, right, third in zip(reference, graded, ungraded, strict=True):
        torch.testing.assert_close(left, right)
        torch.testing.assert_close(left, third)
    return {"entries after four forwards": [many, few], "weights": "equal to training without evaluation"}
