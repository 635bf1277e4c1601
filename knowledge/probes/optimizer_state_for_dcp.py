"""A fresh optimizer's own state_dict() is an empty load target; get_optimizer_state_dict fills it first."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from torch.distributed.tensor import DTensor


def _trained(lr):
    net = shard(Net())
    return net, torch.optim.AdamW(net.parameters(), lr=lr)


def probe(rank, world_size):
    """Save after three steps, then load into a raw and into an initialised state dict."""
    net, optimizer = _trained(0.1)
    for _ in range(3):
        net(batch(rank)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    saved = get_optimizer_state_dict(net, optimizer)
    assert "head.weight" in saved["state"]
    assert 0 in optimizer.state_dict()["state"]
    assert isinstance(saved["state"]["head.weight"]["exp_avg"], DTensor)
    moment = saved["state"]["head.weight"]["exp_avg"].full_tensor()
    dcp.save({"optimizer": saved}, checkpoint_id="ckpt")
    _, raw = _trained(0.7)
    target = {"optimizer": raw.state_dict()}
    dcp.load(target, checkpoint_id="ckpt")
    assert target["optimizer"]["state"] == {}, "nothing was asked for, nothing was loaded"
    assert len(raw.state) == 0, "nothing was asked for, nothing was loaded"
    fresh_net, fresh = _trained(0.7)
    weight = fresh_net.head.weight.full_tensor()
    target = {"optimizer": get_optimizer_state_dict(fresh_net, fresh)}
    own = fresh.state[fresh_net.head.weight]
    assert torch.equal(fresh_net.head.weight.full_tensor(), weight), "the initialising step has lr 0"
    first = int(own["step"])
    dcp.load(target, checkpoint_id="ckpt")
    assert torch.equal(own["exp_avg"].full_tensor(), moment), "moments are loaded in place"
    in_place = (int(own["step"]), fresh.param_groups[0]["lr"])
    set_optimizer_state_dict(fresh_net, fresh, target["optimizer"])
    assert fresh.param_groups[0]["lr"] == 0.1
    assert int(fresh.state[fresh_net.head.weight]["step"]) == 3
    return {
        "raw target": "0 entries loaded, no error",
        "step after get_optimizer_state_dict": first,
        "step and lr after dcp.load": list(in_place),
        "step and lr after set_optimizer_state_dict": [3, 0.1],
    }
