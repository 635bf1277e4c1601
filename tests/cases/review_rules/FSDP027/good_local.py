import torch.distributed as dist


def local(rank):
    if rank in (0, 1):
        return dist.new_group([0, 1], use_local_synchronization=True)
    return None


def subgroup(rank, group):
    if rank < 4:
        dist.barrier(group=group)


def everyone(rank):
    group = dist.new_group([0, 1])
    if rank == 0:
        print(group)
    dist.barrier()
