import torch
from parallel import apply as apply_fsdp


def main(model, mesh, loader):
    apply_fsdp(model, mesh)
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in loader:
        model(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
