"""The generic clip_grad_norm_ sees one rank's shard of an FSDP1 model; the method sees all."""

import torch
from _lab import Net, batch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def _net(rank, **options):
    torch.manual_seed(0)
    net = FSDP(Net(), device_id=torch.device("cpu"), **options)
    (100.0 * net(batch(rank)).pow(2).mean()).backward()
    return net


def probe(rank, world_size):
    """Compare norms with the true one, taken from the shards of all ranks."""
    squares = sum(parameter.grad.pow(2).sum() for parameter in _net(rank).parameters())
    torch.distributed.all_reduce(squares)
    true = float(squares.sqrt())
    local = float(torch.nn.utils.clip_grad_norm_(_net(rank).parameters(), 1.0))
    assert local < 0.99 * true, (local, true)
    net = _net(rank)
    method = float(net.clip_grad_norm_(1.0))
    assert abs(method - true) < 1e-3 * true, (method, true)
    after = sum(parameter.grad.pow(2).sum() for parameter in net.parameters())
    torch.distributed.all_reduce(after)
    assert abs(float(after) - 1.0) < 1e-3, after
    plain = float(
        torch.nn.utils.clip_grad_norm_(_net(rank, sharding_strategy=ShardingStrategy.NO_SHARD).parameters(), 1)
    )
    assert abs(plain - true) < 1e-3 * true, (plain, true)
    return {
        "generic function": "each rank its own norm",
        "model.clip_grad_norm_": "the true norm",
        "NO_SHARD": "either",
    }
