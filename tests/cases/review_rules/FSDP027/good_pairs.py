import torch.distributed as dist


def download(local_rank, fetch):
    if local_rank != 0:
        dist.barrier()
    data = fetch()
    if local_rank == 0:
        dist.barrier()
    return data


def both(rank, save):
    if rank == 0:
        save()
        dist.barrier()
    else:
        dist.barrier()
