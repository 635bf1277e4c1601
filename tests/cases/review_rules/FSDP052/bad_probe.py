import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


@torch.no_grad()
def probe(model, batch):
    return model(batch).mean()


def train(model, policy, loader, batch):
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        print(probe(model, batch))  # <- FSDP052
        optimizer.step()
        optimizer.zero_grad()
