from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    for step, x in enumerate(loader):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 0:
            print(step)
