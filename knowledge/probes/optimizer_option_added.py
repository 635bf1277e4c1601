"""An optimizer option that the saving version did not have: dcp.load misses it; a partial load keeps the default."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint import CheckpointException, DefaultLoadPlanner
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict


def probe(rank, world_size):
    """Save without decoupled_weight_decay, as torch 2.6 does, and load with today's AdamW."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    saved = get_optimizer_state_dict(net, optimizer)
    assert saved["param_groups"][0].pop("decoupled_weight_decay") is True
    dcp.save({"optimizer": saved}, checkpoint_id="ckpt")
    fresh = torch.optim.AdamW(net.parameters(), lr=0.5)
    target = {"optimizer": get_optimizer_state_dict(net, fresh)}
    message = "Missing key in checkpoint state_dict: optimizer.param_groups.0.decoupled_weight_decay"
    raises(CheckpointException, message, lambda: dcp.load(target, checkpoint_id="ckpt"))
    dcp.load(target, checkpoint_id="ckpt", planner=DefaultLoadPlanner(allow_partial_load=True))
    set_optimizer_state_dict(net, fresh, target["optimizer"])
    group = fresh.param_groups[0]
    assert group["lr"] == 0.1
    assert group["decoupled_weight_decay"] is True
    return {"strict": message, "allow_partial_load": "lr restored, decoupled_weight_decay stays True"}
