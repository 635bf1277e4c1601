import torch
import torch.distributed as dist
def log(loss, rank):
    avg = loss.detach().clone()
    dist.all_reduce(avg)
    if rank == 0:
        print(avg.item())
