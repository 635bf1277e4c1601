import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.utils import clip_grad_norm_


def train(model, policy, loader):
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        clip_grad_norm_(model.parameters(), 1.0)  # <- FSDP067
        optimizer.step()
        optimizer.zero_grad()
