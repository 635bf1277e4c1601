from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    for step, x in enumerate(loader):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            print(loss.item())
