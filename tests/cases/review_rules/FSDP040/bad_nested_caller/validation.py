import torch.distributed as dist


def validate(total):
    dist.all_reduce(total)
    return total
