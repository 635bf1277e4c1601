import torch, torch.distributed as dist
def download(fn):
    if dist.get_rank() == 0:
        fn()
        dist.barrier()
    else:
        dist.barrier()
        fn()
