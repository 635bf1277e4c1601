import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config, path):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    model.to_empty(device="cuda")
    dcp.load({"model": model.state_dict()}, checkpoint_id=path)
    return torch.optim.AdamW(model.parameters())


def handed_on(config):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    model.to_empty(device="cuda")
    return model
