import torch
import torch.distributed as dist
from safetensors.torch import save_file
from torch.distributed.fsdp import fully_shard

def main(model):
    fully_shard(model)
    if dist.get_rank() == 0:
        save_file(model.state_dict(), "a.safetensors")  # <- FSDP041
