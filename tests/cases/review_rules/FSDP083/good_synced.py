from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, skip):
    fully_shard(model)
    for step, x in enumerate(loader):
        if step in skip:
            optimizer.zero_grad()
            continue
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
