"""With gradient sync off, clip and step find no gradient: norm 0, nothing changes, no error."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Clip and step after a backward without sync, then after one with it."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    before = [parameter.to_local().clone() for parameter in net.parameters()]
    net.set_requires_gradient_sync(False)
    net(batch(rank)).sum().backward()
    assert all(parameter.grad is None for parameter in net.parameters())
    norm = float(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0))
    assert norm == 0.0, norm
    optimizer.step()
    same = [torch.equal(old, new.to_local()) for old, new in zip(before, net.parameters(), strict=True)]
    assert all(same)
    assert not optimizer.state
    net.set_requires_gradient_sync(True)
    net(batch(rank)).sum().backward()
    assert float(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)) > 0.0
    optimizer.step()
    assert not torch.equal(before[0], next(net.parameters()).to_local())
    return {"sync off": "p.grad None, norm 0.0, no parameter changes", "sync on": "steps"}
