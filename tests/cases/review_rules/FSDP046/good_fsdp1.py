import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def save(model, policy, path):
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    state = FSDP.optim_state_dict(model, optimizer, optimizer.state_dict())
    torch.save(state, path)
