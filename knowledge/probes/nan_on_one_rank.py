"""A NaN loss on one rank makes every rank's gradient NaN; the norm is then the same verdict on all ranks."""

import torch
import torch.distributed as dist
from _lab import Net, batch, raises, shard


def probe(rank, world_size):
    """Poison rank 1, look at the gradients, skip the step on all ranks by the norm."""
    net = shard(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = net.inp.weight.to_local().clone()
    loss = net(batch(rank)).pow(2).mean()
    if rank == 1:
        loss = loss * float("nan")
    loss.backward()
    poisoned = [bool(torch.isnan(parameter.grad.to_local()).any()) for parameter in net.parameters()]
    assert all(poisoned), poisoned
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0).item()
    assert norm != norm
    verdict = torch.tensor(float(norm != norm))
    dist.all_reduce(verdict)
    assert verdict == world_size, "all ranks see the same"
    raises(
        RuntimeError,
        "non-finite",
        lambda: torch.nn.utils.get_total_norm(
            [parameter.grad for parameter in net.parameters()], error_if_nonfinite=True
        ),
    )
    if norm == norm:
        optimizer.step()
    optimizer.zero_grad()
    assert torch.equal(before, net.inp.weight.to_local())
    return {"NaN in the loss of rank 1": "all gradients NaN on both ranks", "norm": "NaN on both ranks"}
