"""FSDP2's only offload policy is CPUOffloadPolicy; its pin_memory default asks for an accelerator."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import CPUOffload, CPUOffloadPolicy, OffloadPolicy


def probe(rank, world_size):
    """Look at the policies, then offload without pinning."""
    assert OffloadPolicy.__subclasses__() == [CPUOffloadPolicy]
    assert CPUOffloadPolicy().pin_memory is True
    assert list(CPUOffload.__dataclass_fields__) == ["offload_params"]
    net = shard(Net(), offload_policy=CPUOffloadPolicy(pin_memory=False))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    held = [p.to_local() for p in net.parameters()] + [p.grad.to_local() for p in net.parameters()]
    held += [optimizer.state[p]["exp_avg"].to_local() for p in net.parameters()]
    assert all(tensor.device.type == "cpu" and not tensor.is_pinned() for tensor in held)
    found = {"policies": ["CPUOffloadPolicy"], "pin_memory": True, "FSDP1": ["offload_params"]}
    if not torch.accelerator.is_available():
        raises(RuntimeError, "", lambda: shard(Net(), offload_policy=CPUOffloadPolicy()))
    return found
