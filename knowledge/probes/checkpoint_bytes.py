"""Bytes of a checkpoint: 12 a parameter with fp32 weights and AdamW, 4 for the weights, 2 for a bf16 export."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_state_dict

WIDTH = 256


def _bytes(folder):
    return sum(path.stat().st_size for path in Path(folder).iterdir())


def probe(rank, world_size):
    """Save with optimizer, without, and as one bf16 file."""
    net = shard(Net(blocks=1, width=WIDTH))
    parameters = sum(value.numel() for value in net.parameters())
    optimizer = torch.optim.AdamW(net.parameters())
    net(batch(rank, width=WIDTH)).sum().backward()
    optimizer.step()
    model_state, optimizer_state = get_state_dict(net, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id="all")
    dcp.save({"model": model_state}, checkpoint_id="model")
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    if rank == 0:
        torch.save({name: value.bfloat16() for name, value in full.items()}, "export.pt")
    dist.barrier()
    each = [_bytes("all") / parameters, _bytes("model") / parameters, Path("export.pt").stat().st_size / parameters]
    for found, expected in zip(each, (12, 4, 2), strict=True):
        assert expected <= found < 1.1 * expected, each
    return {"model + AdamW": 12, "model": 4, "bf16 export": 2}
