import itertools
import os

from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader


class Part:
    def __init__(self, stream):
        self.rank = int(os.environ["RANK"])
        self.world = int(os.environ["WORLD_SIZE"])
        self.stream = stream

    def items(self):
        return list(itertools.islice(self.stream, self.rank, None, self.world))


def train(model, stream, optimizer):
    fully_shard(model)
    loader = DataLoader(Part(stream).items(), batch_size=4)
    for x in loader:  # <- FSDP087
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
