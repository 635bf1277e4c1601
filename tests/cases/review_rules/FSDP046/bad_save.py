import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, policy, path):
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    torch.save({"optimizer": optimizer.state_dict()}, path)  # <- FSDP046
