"""A sampler cannot be used with an IterableDataset: every rank reads the whole stream unless it is split."""

from _lab import raises
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset


class Stream(IterableDataset):
    """Numbers, all of them or this rank's."""

    def __init__(self, rank=0, ranks=1):
        """Note which part is ours."""
        self.rank, self.ranks = rank, ranks

    def __iter__(self):
        """Yield the numbers of the part."""
        yield from range(self.rank, 6, self.ranks)

    def __len__(self):
        """Length of the part."""
        return len(range(self.rank, 6, self.ranks))


def probe(rank, world_size):
    """Read with and without a split, and try a sampler."""
    whole = [int(value) for value in DataLoader(Stream(), batch_size=None)]
    assert whole == [0, 1, 2, 3, 4, 5]
    mine = [int(value) for value in DataLoader(Stream(rank, world_size), batch_size=None)]
    assert mine == [rank, rank + 2, rank + 4], mine
    sampler = DistributedSampler(Stream())
    text = raises(ValueError, "IterableDataset", lambda: DataLoader(Stream(), sampler=sampler))
    return {"without a split": whole, "rank 0 with a split": [0, 2, 4], "with a sampler": text[:70]}
