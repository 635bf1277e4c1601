"""What all ways to shard have in common: their streams, and gradients that wait."""

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.groups import Group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup

DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM = 0, 1, 2
"""Streams whose pools a training step uses."""


def release_all(allocator: CachingAllocator, blocks: list[Block]) -> None:
    """Release some blocks."""
    for block in blocks:
        allocator.release(block)


def keep_unsharded(allocator: CachingAllocator, setup: TrainingSetup, group: Group, grads: list[Block]) -> None:
    """Add gradients to those that wait, or cast the first ones to the reduce dtype."""
    if not group.waiting and group.reduce_elements:
        size = DTYPE_BYTES[setup.reduce_dtype]
        group.waiting = [allocator.malloc(size * elements) for elements in group.whole_learned]
    release_all(allocator, grads)
