import torch.optim
from torch import amp
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def tools(model):
    return torch.optim.SGD(model.parameters(), lr=0.1), amp.GradScaler("cuda", init_scale=1024.0)  # <- FSDP063


def main(model, policy, loader):
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer, scaler = tools(model)
    for x in loader:
        scaler.scale(model(x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
