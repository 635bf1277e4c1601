import torch.distributed as dist
def pass_on(t, rank):
    if rank == 0:
        dist.send(t, 1)
    elif rank == 1:
        dist.recv(t, 0)
    dist.barrier()
