import torch.distributed as dist
def log(loss, rank):
    if rank == 0:
        dist.all_reduce(loss)  # <- FSDP040
        print(loss.item())
