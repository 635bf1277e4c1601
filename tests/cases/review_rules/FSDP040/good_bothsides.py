import torch
import torch.distributed as dist
def share(obj, rank):
    if rank == 0:
        box = [obj]
        dist.broadcast_object_list(box, src=0)
    else:
        box = [None]
        dist.broadcast_object_list(box, src=0)
    return box[0]
