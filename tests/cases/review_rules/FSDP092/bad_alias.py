import torch.utils.data as data
from torch.distributed.fsdp import fully_shard


def loaders(train, valid):
    options = {"batch_size": 8, "shuffle": True}
    return data.DataLoader(train, **options), data.DataLoader(valid)  # <- FSDP092


def main(model, train, valid, optimizer):
    fully_shard(model)
    batches, _ = loaders(train, valid)
    for epoch in range(2):
        for index, x in enumerate(batches):
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
