import torch.distributed as dist


def rank():
    return dist.get_rank() if dist.is_initialized() else 0


def counted(counts):
    dist.all_reduce(counts)


def index(folder, counts, build, read):
    if rank() != 0:
        counted(counts)
    found = build(folder) if rank() == 0 else read(folder)
    if rank() == 0:
        counted(counts)
    return found


def truthful(counts):
    if dist.get_rank():
        counted(counts)
    print("ready")
    if not dist.get_rank():
        counted(counts)
