"""Clipping scaled gradients shrinks the real ones by the scale; unscale_ first does not."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def _norm(unscale_first):
    torch.manual_seed(0)
    net = fully_shard(nn.Linear(4, 4, bias=False))
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    before = net.weight.full_tensor().detach().clone()
    scaler.scale(net(torch.ones(1, 4)).sum()).backward()  # true gradient norm: 4
    if unscale_first:
        scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    return float(torch.linalg.vector_norm(net.weight.full_tensor().detach() - before))


def probe(rank, world_size):
    """The length of an SGD step of lr 1 is the norm of the clipped gradient."""
    right, wrong = _norm(True), _norm(False)
    assert abs(right - 1.0) < 1e-3, right
    assert abs(wrong * 1024 - 1.0) < 1e-2, wrong
    return {"unscale_ first": "step 1.0", "clip first": "step 1/1024"}
