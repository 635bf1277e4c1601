from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(model, data, optimizer):
    fully_shard(model)
    sampler = DistributedSampler(data, drop_last=False)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x in DataLoader(data, sampler=sampler):
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
