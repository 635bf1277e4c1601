import torch.distributed as dist


def send(parameters, engines):
    if dist.get_rank() != 0:
        return
    for parameter in parameters:
        if dist.get_world_size() == 1:
            parameter = parameter.full_tensor()
        engines.take(parameter)


def told(total):
    if dist.get_world_size() == 1 and dist.get_rank() == 0:
        dist.all_reduce(total)
    return total
