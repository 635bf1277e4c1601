from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


def main(model, data, optimizer):
    fully_shard(model)
    loader = DataLoader(data, sampler=DistributedSampler(data))  # <- FSDP093
    for epoch in range(3):
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
