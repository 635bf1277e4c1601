"""A DCP checkpoint of two ranks is loaded on one rank and without any group, optimizer included."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, batch
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


def _pair(mesh=None):
    net = fully_shard(Net(), **({} if mesh is None else {"mesh": mesh}))
    return net, torch.optim.AdamW(net.parameters(), lr=0.1)


def probe(rank, world_size):
    """Save on two ranks; load on rank 0 into a one-rank mesh, then into a plain module."""
    net, optimizer = _pair()
    net(batch(rank)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    model_state, optimizer_state = get_state_dict(net, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id="ckpt")
    weight = net.head.weight.full_tensor()
    moment = optimizer.state[net.head.weight]["exp_avg"].full_tensor()
    assert sorted(path.name for path in Path("ckpt").iterdir()) == [".metadata", "__0_0.distcp", "__1_0.distcp"]
    alone = dist.new_group([0])
    if rank == 0:
        torch.manual_seed(9)
        one, one_optimizer = _pair(DeviceMesh.from_group(alone, "cpu"))
        model_state, optimizer_state = get_state_dict(one, one_optimizer)
        target = {"model": model_state, "optimizer": optimizer_state}
        dcp.load(target, checkpoint_id="ckpt", process_group=alone)
        set_state_dict(one, one_optimizer, model_state_dict=target["model"], optim_state_dict=target["optimizer"])
        assert one.head.weight.to_local().shape == (8, 8)
        assert torch.equal(one.head.weight.to_local(), weight)
        assert torch.equal(one_optimizer.state[one.head.weight]["exp_avg"].to_local(), moment)
        plain = Net()
        target = {"model": plain.state_dict()}
        dcp.load(target, checkpoint_id="ckpt", no_dist=True)
        assert torch.equal(plain.head.weight, weight), "loaded in place, no group needed"
    return {"files": [".metadata", "__0_0.distcp", "__1_0.distcp"], "one rank": "equal", "plain module": "equal"}
