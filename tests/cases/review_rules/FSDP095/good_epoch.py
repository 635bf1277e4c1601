from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, epochs):
    fully_shard(model)
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(loss.item())
