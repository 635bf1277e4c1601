"""A full state dict asked for on rank 0 alone waits for the other ranks until the time-out."""

from datetime import timedelta

import torch.distributed as dist
from _lab import Net, batch, hangs
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

WAIT_S = 3


def probe(rank, world_size):
    """Gather a full state dict on all ranks, then on rank 0 alone."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    net = Net()
    fully_shard(net, mesh=DeviceMesh.from_group(short, "cpu"))
    net(batch(rank)).sum().backward()
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    state = get_model_state_dict(net, options=options)
    assert len(state) == (12 if rank == 0 else 0), len(state)
    plain = net.state_dict()  # sharded: no communication, so no rank waits
    assert len(plain) == 12
    dist.barrier()
    if rank == 0:
        assert hangs(lambda: get_model_state_dict(net, options=options), at_least_s=0.8 * WAIT_S)
    return {
        "on all ranks": "12 tensors on rank 0, none on the others",
        "on rank 0 alone": f"waits {WAIT_S} s, then fails",
    }
