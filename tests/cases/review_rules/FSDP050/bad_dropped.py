import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, policy, path):
    model = FSDP(model, auto_wrap_policy=policy)
    model.load_state_dict(torch.load(path, map_location="cpu"), strict=False)  # <- FSDP050
