import torch
from accelerate import Accelerator


def main(model, optimizer, loader, val_loader, epochs):
    accelerator = Accelerator()
    model, optimizer, loader, val_loader = accelerator.prepare(model, optimizer, loader, val_loader)
    best = 1e9
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        losses = []
        for x in val_loader:
            with torch.no_grad():
                out = model(x).mean()
            losses.append(accelerator.gather(out))
        val = torch.cat(losses).mean().item()
        if val > best:
            break
        best = val
