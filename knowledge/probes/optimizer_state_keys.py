"""Optimizer state saved under names is not found under ids; flattening makes it independent of the groups."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint import CheckpointException
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)


def _step(net, optimizer, rank):
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


def _split(net):
    decay = [value for value in net.parameters() if value.dim() > 1]
    rest = [value for value in net.parameters() if value.dim() == 1]
    return torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0.0}], lr=0.5)


def probe(rank, world_size):
    """Save under names; ask with ids, with other groups, and flattened."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    _step(net, optimizer, rank)
    flat = StateDictOptions(flatten_optimizer_state_dict=True)
    dcp.save({"optimizer": get_optimizer_state_dict(net, optimizer)}, checkpoint_id="names")
    flattened = get_optimizer_state_dict(net, optimizer, options=flat)
    assert "state.head.weight.exp_avg" in flattened
    assert "param_groups.head.weight.lr" in flattened
    dcp.save({"optimizer": flattened}, checkpoint_id="flat")
    by_id = {"optimizer": optimizer.state_dict()}
    raises(
        CheckpointException,
        "Missing key in checkpoint state_dict: optimizer.state.0.step",
        lambda: dcp.load(by_id, checkpoint_id="names"),
    )
    other = _split(net)
    grouped = {"optimizer": get_optimizer_state_dict(net, other)}
    raises(
        CheckpointException,
        "Missing key in checkpoint state_dict: optimizer.param_groups.1",
        lambda: dcp.load(grouped, checkpoint_id="names"),
    )
    target = {"optimizer": get_optimizer_state_dict(net, other, options=flat)}
    dcp.load(target, checkpoint_id="flat")
    set_optimizer_state_dict(net, other, target["optimizer"], options=flat)
    assert [group["lr"] for group in other.param_groups] == [0.1, 0.1]
    moment = optimizer.state[net.head.weight]["exp_avg"].full_tensor()
    assert torch.equal(other.state[net.head.weight]["exp_avg"].full_tensor(), moment)
    return {
        "ids": "Missing key optimizer.state.0.step",
        "two groups for one": "Missing key optimizer.param_groups.1",
        "flattened": "loads into two groups",
    }
