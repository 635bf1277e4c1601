import torch.distributed as dist
import torch.distributed.checkpoint as dcp
class Resume:
    def __init__(self, path):
        self.path = path
        self.rank = dist.get_rank()
    def __call__(self, state):
        if self.rank == 0:
            print("loading", self.path)
            dcp.load(state, checkpoint_id=self.path)  # <- FSDP040
        dist.barrier()
