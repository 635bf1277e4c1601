"""The ranks: process group, device, and the small agreements between them.

Words: rank, one process; world size, how many; shard, a rank's part of a parameter;
replica, a whole set of shards (HSDP has several).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from fsdp_sft_config import ConfigError
from fsdp_sft_launch import Launch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


@dataclass(frozen=True)
class World:
    """This process among the others. Every method is a collective: all ranks call it."""

    rank: int
    size: int
    device: torch.device
    group: dist.ProcessGroup | None = None
    """All ranks, in a group of their own for a thread of its own; None: the training's."""

    def total(self, *values: float) -> list[float]:
        """Return the sums over all ranks, in float64 and by way of the host."""
        sums = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(sums, group=self.group)
        return list(sums.tolist())

    def share(self, value: Any) -> Any:
        """Return rank 0's value on every rank."""
        box = [value]
        dist.broadcast_object_list(box, src=0, group=self.group)
        return box[0]

    def collect(self, value: Any) -> list[Any]:
        """Return every rank's value on every rank, in order of rank."""
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value, group=self.group)
        return values


@contextmanager
def open_world(device: str, launch: Launch, timeout_s: float | None = None) -> Iterator[World]:
    """Join the process group and leave it after the work is done.

    Args:
        device: `cpu` or `cuda`.
        launch: Names rank and world size; the rendezvous reads its own variables.
        timeout_s: Seconds after which a collective fails; torch's own limit where None.

    Raises:
        ConfigError: There are more ranks on this machine than visible GPUs.
    """
    place = _device(device, launch.local_rank)
    # the gloo half carries what lives on the host: small agreements, DCP's plans, offloaded gradients
    limit = None if timeout_s is None else timedelta(seconds=timeout_s)
    dist.init_process_group("cpu:gloo,cuda:nccl" if device == "cuda" else "gloo", timeout=limit)
    yield World(launch.rank, launch.world_size, place)
    # not after a failure: other ranks may hang in a collective, and this would wait for them
    dist.destroy_process_group()


def _device(device: str, local_rank: int) -> torch.device:
    if device == "cpu":
        return torch.device("cpu")
    visible = torch.cuda.device_count()
    if local_rank >= visible:
        raise ConfigError(
            f"local rank {local_rank} has no GPU: {visible} visible; start fewer ranks or set device: cpu"
        )
    # before the process group: without it every rank would open its context on GPU 0
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def data_mesh(world: World, dp_replicate: int) -> DeviceMesh:
    """Return the mesh for `fully_shard`: 1-D, or (replicate, shard) for HSDP.

    Args:
        world: This process among the others.
        dp_replicate: Replicas of the sharded model.

    Raises:
        ConfigError: The replicas do not divide the ranks.
    """
    if world.size % dp_replicate:
        raise ConfigError(f"dp_replicate ({dp_replicate}) must divide the world size ({world.size})")
    if dp_replicate == 1:
        return init_device_mesh(world.device.type, (world.size,), mesh_dim_names=("shard",))
    # ranks of one replica are neighbours, so that the busy shard traffic stays inside a machine
    shape = (dp_replicate, world.size // dp_replicate)
    return init_device_mesh(world.device.type, shape, mesh_dim_names=("replicate", "shard"))
