"""dcp_to_torch_save and back, in one process: everything that was saved, under the nested keys."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint import FileSystemReader
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from torch.distributed.checkpoint.state_dict import get_state_dict


def probe(rank, world_size):
    """Save model and optimizer on two ranks; convert on rank 0."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    optimizer.step()
    model_state, optimizer_state = get_state_dict(net, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id="ckpt")
    weight = net.head.weight.full_tensor()
    dist.barrier()
    if rank == 0:
        dcp_to_torch_save("ckpt", "all.pt")
        state = torch.load("all.pt", weights_only=True)
        assert sorted(state) == ["model", "optimizer"]
        Net().load_state_dict(state["model"])
        assert torch.equal(state["model"]["head.weight"], weight)
        assert state["optimizer"]["state"]["head.weight"]["exp_avg"].shape == (8, 8)
        torch_save_to_dcp("all.pt", "back")
        assert not Path("back/__1_0.distcp").exists()
    dist.barrier()
    again = shard(Net())
    dcp.load({"model": again.state_dict()}, checkpoint_id="back")
    assert torch.equal(again.head.weight.full_tensor(), weight)
    listed = FileSystemReader("ckpt").read_metadata().state_dict_metadata
    entry = listed["model.head.weight"]
    assert tuple(entry.size) == (8, 8)
    assert len(entry.chunks) == 2
    return {"to torch.save": "model and optimizer, full tensors", "back": "loads into 2 ranks", "keys": len(listed)}
