import torch
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    model.to_empty(device="cuda")
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    return torch.optim.AdamW(model.parameters())
