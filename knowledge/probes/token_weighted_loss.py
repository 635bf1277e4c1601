"""The mean of the ranks' means is not the mean over all tokens; a rescaled sum is."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def _gradient(rank, world_size, weighted):
    net = fully_shard(nn.Linear(2, 2, bias=False))
    tokens = torch.full((1, 2), 1.0) if rank == 0 else torch.full((3, 2), 5.0)  # 1 and 3 tokens
    losses = net(tokens).sum(dim=1)
    if weighted:
        total = torch.tensor(float(len(tokens)))
        dist.all_reduce(total)
        loss = losses.sum() * world_size / total
    else:
        loss = losses.mean()
    loss.backward()
    return float(net.weight.grad.full_tensor()[0, 0])


def probe(rank, world_size):
    """Rank 0 has one token of value 1, rank 1 three of value 5: the mean over the tokens is 4."""
    mean, weighted = (_gradient(rank, world_size, flag) for flag in (False, True))
    assert mean == 3.0, mean  # (1 + 5) / 2
    assert weighted == 4.0, weighted  # (1 + 3 * 5) / 4
    return {"mean of means": mean, "over all tokens": weighted}
