from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


def main(model, data, optimizer):
    fully_shard(model)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
