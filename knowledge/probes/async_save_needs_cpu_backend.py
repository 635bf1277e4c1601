"""async_save asks for a CPU backend in its process group; a gloo group handed over will do."""

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, raises

PROCESS_GROUP = False


def probe(rank, world_size):
    """Make a default group for CUDA tensors only, then a gloo group beside it."""
    store = dist.FileStore("store", world_size)
    dist.init_process_group("cuda:gloo", store=store, rank=rank, world_size=world_size)
    state = Net().state_dict()
    message = raises(AssertionError, "cpu:gloo,cuda:nccl", lambda: dcp.async_save(state, checkpoint_id="a"))
    group = dist.new_group(backend="gloo")
    dcp.async_save(state, checkpoint_id="b", process_group=group).result()
    dist.barrier(group)
    dist.destroy_process_group()
    return {"no CPU backend": message, "process_group=new_group(backend='gloo')": "saved"}
