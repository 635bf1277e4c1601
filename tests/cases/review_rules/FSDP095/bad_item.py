from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())  # <- FSDP095
