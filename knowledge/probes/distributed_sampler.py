"""What DistributedSampler gives each rank: equal lengths, own samples, one order until set_epoch."""

import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def _seen(loader):
    return [int(value) for (batch,) in loader for value in batch]


def probe(rank, world_size):
    """Seven samples on two ranks."""
    data = TensorDataset(torch.arange(7))
    ordered = _seen(DataLoader(data, sampler=DistributedSampler(data, shuffle=False)))
    assert ordered == ([0, 2, 4, 6] if rank == 0 else [1, 3, 5, 0]), ordered  # padded with sample 0
    short = _seen(DataLoader(data, sampler=DistributedSampler(data, shuffle=False, drop_last=True)))
    assert len(short) == 3, short
    sampler = DistributedSampler(data)
    first, second = _seen(DataLoader(data, sampler=sampler)), _seen(DataLoader(data, sampler=sampler))
    assert first == second, "the order repeats without set_epoch"
    sampler.set_epoch(1)
    assert _seen(DataLoader(data, sampler=sampler)) != first
    torch.manual_seed(0)
    same = torch.tensor(_seen(DataLoader(data, shuffle=True)))
    other = same.clone()
    torch.distributed.broadcast(other, src=0)
    assert torch.equal(same, other), "without a sampler and with one seed, all ranks see the same batches"
    return {"7 samples on 2 ranks": "4 each, one repeated; drop_last=True: 3 each", "without set_epoch": "same order"}
