import torch
from safetensors import safe_open
from torch.distributed.fsdp import fully_shard

def main(model, path):
    fully_shard(model)
    sd = {}
    with safe_open(path, framework="pt") as f:
        for k in f.keys():
            sd[k] = f.get_tensor(k)
    model.load_state_dict(sd)  # <- FSDP043
