"""The ways to shard, as what they allocate: FSDP2, FSDP1, or not at all."""

from typing import Protocol

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.buffers import release_all
from engines.sizing.fsdp1 import Fsdp1
from engines.sizing.fsdp2 import Fsdp2
from engines.sizing.groups import Group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup


class Collectives(Protocol):
    """The buffers of one way to shard."""

    def gather(self, group: Group) -> None:
        """Start a group's all-gather, unless it is there or on its way."""

    def wait(self, group: Group, *, forward: bool) -> None:
        """Make a group's gathered parameters usable."""

    def reshard(self, group: Group) -> None:
        """Release a group's gathered parameters."""

    def end_forward(self) -> None:
        """Release what the forward's last all-gather left."""

    def reduce(self, group: Group, grads: list[Block]) -> None:
        """Reshard a group and reduce its gradients."""

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Keep a group's gradients unsharded for a later reduction."""

    def end_backward(self) -> None:
        """Release what the last reduction left."""


def collectives(allocator: CachingAllocator, setup: TrainingSetup) -> Collectives:
    """Return the collectives of a setup."""
    if setup.fsdp == 0 or setup.shard_ranks == 1:
        return Unsharded(allocator, setup)
    return Fsdp1(allocator, setup) if setup.fsdp == 1 else Fsdp2(allocator, setup)


class Unsharded:
    """One process, or DDP: parameters are used as they are, or cast for each use."""

    def __init__(self, allocator: CachingAllocator, setup: TrainingSetup) -> None:
        """Start with nothing gathered."""
        self._allocator, self._setup = allocator, setup
        self._casts = setup.fsdp > 0 and setup.gathered_bytes != DTYPE_BYTES[setup.master_dtype]

    def gather(self, group: Group) -> None:
        """Nothing is gathered."""

    def wait(self, group: Group, *, forward: bool) -> None:
        """Cast the parameters where FSDP on one rank does so."""
        del forward
        if self._casts and not group.blocks:
            group.blocks = [self._allocator.malloc(size) for size in group.unsharded]

    def reshard(self, group: Group) -> None:
        """Release the casts."""
        for block in group.blocks:
            self._allocator.release(block)
        group.blocks = []

    def end_forward(self) -> None:
        """Nothing is left."""

    def reduce(self, group: Group, grads: list[Block]) -> None:
        """Keep the gradients for the optimizer."""
        self.reshard(group)
        if group.grads or self._setup.optimizer_in_backward or self._setup.cpu_offload:
            release_all(self._allocator, grads)
        else:
            group.grads = grads

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Keep the gradients where they are."""
        self.reduce(group, grads)

    def end_backward(self) -> None:
        """Nothing is left."""
