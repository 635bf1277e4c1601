"""fully_shard does not broadcast: with other seeds the HSDP replicas start with other weights."""

import torch
import torch.distributed as dist
from _lab import Net, shard
from torch.distributed.device_mesh import init_device_mesh

WORLD_SIZE = 4


def _replicas_agree(net, group):
    local = net.head.weight.to_local()
    copies = [torch.empty_like(local) for _ in range(dist.get_world_size(group))]
    dist.all_gather(copies, local.contiguous(), group=group)
    return all(torch.equal(copies[0], copy) for copy in copies)


def probe(rank, world_size):
    """Seed by rank, compare replicas, and broadcast over the replicate group."""
    torch.manual_seed(rank)
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    net = shard(Net(), mesh=mesh)
    group = mesh.get_group("replicate")
    assert not _replicas_agree(net, group)
    source = dist.get_process_group_ranks(group)[0]
    with torch.no_grad():
        for parameter in net.parameters():
            dist.broadcast(parameter.to_local(), src=source, group=group)
    assert _replicas_agree(net, group)
    return {"replicas equal after sharding": False, "after a broadcast in the replicate group": True}
