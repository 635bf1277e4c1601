"""Combinations that FSDP1's constructor refuses."""

import torch
import torch.distributed as dist
from _lab import Block, Net, raises
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def probe(rank, world_size):
    """Hybrid sharding without groups, two groups, two ignore arguments, a 1-D mesh; then the right form."""
    cpu = {"device_id": torch.device("cpu")}
    hybrid = ShardingStrategy.HYBRID_SHARD
    bare = raises(
        ValueError,
        "requires explicit specification of process group or device_mesh",
        lambda: FSDP(Net(), sharding_strategy=hybrid, **cpu),
    )
    mesh = init_device_mesh("cpu", (1, world_size), mesh_dim_names=("replicate", "shard"))
    both = raises(
        ValueError,
        "both process_group and device_mesh",
        lambda: FSDP(Net(), process_group=dist.group.WORLD, device_mesh=mesh["shard"], **cpu),
    )
    net = Net()
    ignored = raises(
        ValueError,
        "both ignored_modules and ignored_states",
        lambda: FSDP(net, ignored_modules=[net.head], ignored_states=[net.head], **cpu),
    )
    flat = raises(ValueError, "ndim=2", lambda: FSDP(Net(), sharding_strategy=hybrid, device_mesh=mesh["shard"], **cpu))
    FSDP(Net(), sharding_strategy=hybrid, device_mesh=mesh, auto_wrap_policy=ModuleWrapPolicy({Block}), **cpu)
    return {"hybrid": bare[:60], "two groups": both[:60], "two ignores": ignored[:60], "1-D mesh": flat}
