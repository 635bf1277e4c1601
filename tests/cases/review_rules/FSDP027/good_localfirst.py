import torch.distributed as dist
def prepare(build, local_rank):
    if local_rank != 0:
        dist.barrier()
    ds = build()
    if local_rank == 0:
        dist.barrier()
    return ds
