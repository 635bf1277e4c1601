from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(model, data, optimizer):
    fully_shard(model)
    loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=False))
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
