"""An optimizer built before FSDP1: works with use_orig_params=True, trains nothing without."""

import torch
from _lab import Net, batch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _change(use_orig_params):
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    wrapped = FSDP(net, device_id=torch.device("cpu"), use_orig_params=use_orig_params)
    x = batch(0)
    before = wrapped(x).detach()
    for _ in range(3):
        wrapped(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return before, wrapped(x).detach()


def probe(rank, world_size):
    """Three AdamW steps with both settings and without FSDP, on the same batch on all ranks."""
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    for _ in range(3):
        net(batch(0)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    _, trained = _change(True)
    assert torch.allclose(trained, net(batch(0)), atol=1e-4)
    before, after = _change(False)
    assert torch.equal(before, after)
    return {"use_orig_params=True": "trains as without FSDP", "use_orig_params=False": "nothing changes"}
