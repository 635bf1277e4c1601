"""Weights on rank 0 only need broadcast_from_rank0; without it the others raise and rank 0 waits."""

from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import Net, hangs, raises
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

WAIT_S = 3


def probe(rank, world_size):
    """Load from rank 0 with the broadcast, then without."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    torch.manual_seed(5)
    plain = Net().state_dict() if rank == 0 else {}
    torch.manual_seed(0)
    net = fully_shard(Net(), mesh=DeviceMesh.from_group(short, "cpu"))
    before = net.head.weight.full_tensor()
    lonely = StateDictOptions(broadcast_from_rank0=True)
    raises(ValueError, "full_state_dict must be True", lambda: set_model_state_dict(net, plain, options=lonely))
    right = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(net, dict(plain), options=right)
    assert not torch.equal(net.head.weight.full_tensor(), before)
    dist.barrier()
    full = StateDictOptions(full_state_dict=True)
    if rank == 0:
        assert hangs(lambda: set_model_state_dict(net, dict(plain), options=full), at_least_s=0.8 * WAIT_S)
    else:
        raises(RuntimeError, "model state_dict is empty", lambda: set_model_state_dict(net, {}, options=full))
    return {"with the broadcast": "loaded", "without": f"others raise, rank 0 waits {WAIT_S} s"}
