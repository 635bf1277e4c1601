import torch
from torch.distributed.fsdp import fully_shard
from safetensors.torch import save_model, save_file
def prep(model, cfg):
    if cfg.compile:
        model = torch.compile(model, mode="max-autotune")
    return model
def main(model, cfg):
    model = prep(model, cfg)
    fully_shard(model)
    torch.save({"sd": model.state_dict()}, "x.pt")  # <- FSDP049
