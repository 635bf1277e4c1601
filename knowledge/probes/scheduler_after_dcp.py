"""A scheduler built with last_epoch >= 0 after a DCP resume misses initial_lr; restore its state_dict instead."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from torch.optim.lr_scheduler import LambdaLR


def _factor(step):
    return 0.5**step


def probe(rank, world_size):
    """Save optimizer and scheduler after two steps; rebuild the scheduler in two ways."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.8)
    scheduler = LambdaLR(optimizer, _factor)
    for _ in range(2):
        net(batch(rank)).sum().backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    saved = {"optimizer": get_optimizer_state_dict(net, optimizer), "scheduler": scheduler.state_dict()}
    dcp.save(saved, checkpoint_id="ckpt")
    bare = torch.optim.AdamW(net.parameters(), lr=0.8)
    target = {"optimizer": get_optimizer_state_dict(net, bare)}
    dcp.load(target, checkpoint_id="ckpt")
    set_optimizer_state_dict(net, bare, target["optimizer"])
    assert bare.param_groups[0]["lr"] == 0.2
    assert "initial_lr" not in bare.param_groups[0]
    raises(KeyError, "initial_lr", lambda: LambdaLR(bare, _factor, last_epoch=2))
    fresh = torch.optim.AdamW(net.parameters(), lr=0.8)
    again = LambdaLR(fresh, _factor)
    target = {"optimizer": get_optimizer_state_dict(net, fresh), "scheduler": again.state_dict()}
    dcp.load(target, checkpoint_id="ckpt")
    set_optimizer_state_dict(net, fresh, target["optimizer"])
    again.load_state_dict(target["scheduler"])
    assert again.last_epoch == 2
    assert fresh.param_groups[0]["lr"] == 0.2
    net(batch(rank)).sum().backward()
    fresh.step()
    again.step()
    assert fresh.param_groups[0]["lr"] == 0.1
    return {"last_epoch=2": "KeyError initial_lr", "built before the load, state restored": "lr 0.2, then 0.1"}
