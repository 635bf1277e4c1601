"""Dropout draws from the rank's own generator: one seed on all ranks gives one mask on all ranks."""

import torch
import torch.distributed as dist
from torch import nn


def _masks_equal(seed, world_size):
    torch.manual_seed(seed)
    mask = nn.functional.dropout(torch.ones(64), p=0.5)
    masks = [torch.empty(64) for _ in range(world_size)]
    dist.all_gather(masks, mask)
    return torch.equal(masks[0], masks[1])


def probe(rank, world_size):
    """Seed alike and by rank."""
    assert _masks_equal(1, world_size)
    assert not _masks_equal(1 + rank, world_size)
    return {"one seed": "equal masks", "seed + rank": "different masks"}
