from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, accum):
    fully_shard(model)
    for step, x in enumerate(loader):
        last = (step + 1) % accum == 0
        model.set_requires_gradient_sync(last)
        model(x).sum().backward()
        if not last:
            continue
        optimizer.step()
        optimizer.zero_grad()
