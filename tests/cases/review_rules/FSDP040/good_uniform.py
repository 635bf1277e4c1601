import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict


def decide(model, loss, best):
    better = torch.tensor(float(dist.get_rank() == 0 and loss < best))
    dist.broadcast(better, src=0)
    if better:
        return get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    return None


def both_arms(model, options):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    if dist.get_rank() == 0:
        state = get_model_state_dict(model, options=options)
        torch.save(state, "model.pt")
    else:
        get_model_state_dict(model, options=options)


def part_of_mesh(param, mesh):
    if mesh.get_local_rank() == 0:
        return param.full_tensor()
    return None


def first_of_tp(param, tp_rank):
    if tp_rank == 0:
        return param.full_tensor()
    return None
