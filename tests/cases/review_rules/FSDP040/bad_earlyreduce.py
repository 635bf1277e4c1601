import torch
import torch.distributed as dist
class Meter:
    def __init__(self):
        self.main = dist.get_rank() == 0
    def flush(self, value):
        if not self.main:
            return None
        t = torch.tensor([value], device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.AVG)  # <- FSDP040
        return t.item()
