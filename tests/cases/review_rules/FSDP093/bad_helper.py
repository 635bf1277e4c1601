from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader
from torch.utils.data import distributed


class Data:
    def __init__(self, items, rank, world):
        self.sampler = distributed.DistributedSampler(items, world, rank, shuffle=True)  # <- FSDP093
        self.loader = DataLoader(items, sampler=self.sampler)


def epoch_of(model, loader, optimizer):
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def main(model, items, rank, world, optimizer):
    fully_shard(model)
    data = Data(items, rank, world)
    for epoch in range(3):
        epoch_of(model, data.loader, optimizer)
