"""Other seeds on other ranks: full sharding mixes them consistently, replicated parts diverge."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def _everywhere(value):
    seen = [torch.empty_like(value) for _ in range(dist.get_world_size())]
    dist.all_gather(seen, value.detach().contiguous())
    return seen


def _equal(value):
    seen = _everywhere(value)
    return all(torch.equal(seen[0], other) for other in seen)


def _net(rank):
    torch.manual_seed(50 + rank)
    net = Net()
    net.register_buffer("noise", torch.randn(4))
    return net


def probe(rank, world_size):
    """Build with a seed for each rank and compare what the ranks then hold."""
    own = _net(rank).head.weight.detach().clone()
    net = shard(_net(rank))
    full = net.head.weight.full_tensor()
    assert _equal(full)
    assert torch.equal(full[:4], _everywhere(own)[0][:4])
    assert torch.equal(full[4:], _everywhere(own)[1][4:])
    assert _equal(net(batch(0))), "all ranks compute with the same mixture"
    assert not _equal(net.noise)
    old = FSDP(_net(rank), device_id=torch.device("cpu"))
    assert _equal(old(batch(0))), "FSDP1 mixes too"
    mesh = init_device_mesh("cpu", (2, 1), mesh_dim_names=("replicate", "shard"))
    assert not _equal(shard(_net(rank), mesh=mesh).head.weight.to_local())
    net = _net(rank)
    fully_shard(net, ignored_params={net.head.weight})
    assert not _equal(net.head.weight)
    return {
        "FULL_SHARD": "one mixture of all seeds, equal on all ranks",
        "HSDP replicas": "differ",
        "ignored_params": "differ",
        "buffers": "differ",
    }
