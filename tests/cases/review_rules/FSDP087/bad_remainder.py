import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, IterableDataset


class Own(IterableDataset):
    def __init__(self, documents):
        self.documents = documents

    def __iter__(self):
        rank, world = dist.get_rank(), dist.get_world_size()
        for index, document in enumerate(self.documents):
            if index % world != rank:
                continue
            yield document


def train(model, documents, optimizer):
    fully_shard(model)
    for x in DataLoader(Own(documents), batch_size=2):  # <- FSDP087
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
