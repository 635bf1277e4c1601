import torch.distributed as dist
def sync_stats(stats, rank):
    for k, v in stats.items():
        if rank > 0:
            continue
        dist.reduce(v, dst=0)  # <- FSDP040
