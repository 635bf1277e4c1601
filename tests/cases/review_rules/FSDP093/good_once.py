from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


def main(model, data, optimizer):
    fully_shard(model)
    for x in DataLoader(data, sampler=DistributedSampler(data)):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
