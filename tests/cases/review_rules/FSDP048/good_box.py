import time
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
def save(sd, out):
    box = [time.strftime("%H%M") if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    t0 = time.time()
    dcp.save(sd, checkpoint_id=f"{out}/{box[0]}")
    print(time.time() - t0, dist.get_rank())
