import time

import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def save(state, root):
    names = [f"{root}/{int(time.time())}"]
    dist.broadcast_object_list(names, src=0)
    dcp.save(state, checkpoint_id=names[0])
