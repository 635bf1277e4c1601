"""A parameter that never got a gradient has no state in the file, but the fresh optimizer asks for it."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint import CheckpointException, DefaultLoadPlanner
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from torch.distributed.fsdp import fully_shard


def _net():
    net = Net()
    net.vision = fully_shard(torch.nn.Linear(4, 4))
    return shard(net)


def probe(rank, world_size):
    """Train without the vision part, save, resume strictly and partially."""
    net = _net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    saved = get_optimizer_state_dict(net, optimizer)
    assert "vision.weight" not in saved["state"]
    assert "head.weight" in saved["state"]
    dcp.save({"optimizer": saved}, checkpoint_id="ckpt")
    net = _net()
    fresh = torch.optim.AdamW(net.parameters(), lr=0.1)
    target = {"optimizer": get_optimizer_state_dict(net, fresh)}
    assert "vision.weight" in target["optimizer"]["state"]
    raises(
        CheckpointException,
        "Missing key in checkpoint state_dict: optimizer.state.vision.weight.step",
        lambda: dcp.load(target, checkpoint_id="ckpt"),
    )
    dcp.load(target, checkpoint_id="ckpt", planner=DefaultLoadPlanner(allow_partial_load=True))
    set_optimizer_state_dict(net, fresh, target["optimizer"])
    assert bool((fresh.state[net.vision.weight]["exp_avg"].full_tensor() == 0).all())
    assert bool((fresh.state[net.head.weight]["exp_avg"].full_tensor() != 0).any())
    return {"strict": "Missing key optimizer.state.vision.weight.step", "allow_partial_load": "resumes, zeros there"}
