import torch
import parallel


def main(model, mesh, loader):
    optimizer = torch.optim.AdamW(model.parameters())  # <- FSDP001
    parallel.apply(model, mesh)
    for batch in loader:
        model(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
