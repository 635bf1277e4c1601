from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, accum):
    fully_shard(model)
    for step, x in enumerate(loader):
        last = (step + 1) % accum == 0
        model.set_requires_gradient_sync(last)
        model(x).sum().backward()
        if (step + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()


def remainder(model, loader, optimizer, accum):
    for step, x in enumerate(loader):
        model.set_requires_gradient_sync(step % accum == accum - 1)
        model(x).sum().backward()
        if (step + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
