"""Saved, trained on and loaded again: weights and moments are those of the save, and so are the steps after it."""

import torch
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict


def _train(net, optimizer, rank, steps):
    for _ in range(steps):
        net(batch(rank)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def _locals(net, optimizer):
    tensors = [parameter.to_local().detach() for parameter in net.parameters()]
    for parameter in net.parameters():
        tensors += [optimizer.state[parameter][name].to_local() for name in ("exp_avg", "exp_avg_sq")]
    return [tensor.clone() for tensor in tensors]


def _same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def probe(rank, world_size):
    """Save after three steps, go on for two, load into a fresh model and go on for two again."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    _train(net, optimizer, rank, 3)
    at_save = _locals(net, optimizer)
    model_state, optimizer_state = get_state_dict(net, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state, "step": 3}, checkpoint_id="ckpt/step-3")
    _train(net, optimizer, rank, 2)
    after = _locals(net, optimizer)
    assert not _same(at_save, after)

    torch.manual_seed(7)
    fresh = shard(Net())
    fresh_optimizer = torch.optim.AdamW(fresh.parameters(), lr=0.01)
    model_state, optimizer_state = get_state_dict(fresh, fresh_optimizer)
    state = {"model": model_state, "optimizer": optimizer_state, "step": 0}
    dcp.load(state, checkpoint_id="ckpt/step-3")
    set_state_dict(fresh, fresh_optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    assert state["step"] == 3
    assert _same(at_save, _locals(fresh, fresh_optimizer)), "weights and moments of the save"
    _train(fresh, fresh_optimizer, rank, 2)
    assert _same(after, _locals(fresh, fresh_optimizer)), "the steps after it, again"
    return {"loaded": "equal", "two steps on": "equal", "step": 3}
