from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    model.set_requires_gradient_sync(False)  # <- FSDP082
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
