import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

def main(model):
    fully_shard(model)
    full = {}
    for k, v in model.state_dict().items():
        t = v.full_tensor()
        if dist.get_rank() == 0:
            full[k] = t.cpu()
    if dist.get_rank() == 0:
        torch.save(full, "a.pt")
    torch.save(model.state_dict(), f"r{dist.get_rank()}.pt")
