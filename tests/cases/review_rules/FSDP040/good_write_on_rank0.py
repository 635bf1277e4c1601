import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard


def save(model, path):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    state = get_model_state_dict(model, options=options)
    if dist.get_rank() == 0:
        torch.save(state, path)
    dist.barrier()


def local_parts(model, path):
    fully_shard(model)
    if dist.get_rank() == 0:
        print(len(model.state_dict()))


def convert(path, rank, state):
    if rank == 0:
        dcp.load(state, checkpoint_id=path, no_dist=True)


def distributed_at_all(model, rank):
    if rank != -1:
        return get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    return model.state_dict()
