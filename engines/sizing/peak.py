"""The moment of the highest allocation, and what is there at that moment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engines.sizing.allocator import Block
from engines.sizing.groups import Group


@dataclass
class Peak:
    """The moment of the highest allocation."""

    phase: str = "start"
    """Phase of the step."""
    parts: dict[str, int] = field(default_factory=dict)
    """Bytes by component."""


def components(
    state: Iterable[Block], optimizer_state: Iterable[Block], groups: Sequence[Group], kept: int, total: int
) -> dict[str, int]:
    """Return the bytes by component; what they leave of the total is the phase's own work.

    Args:
        state: The sharded parameters.
        optimizer_state: What the optimizer keeps.
        groups: Every parameter group.
        kept: Bytes that wait for the backward on the device.
        total: Bytes that are allocated.
    """
    parts = {
        "parameters": sum(block.size for block in state),
        "optimizer_state": sum(block.size for block in optimizer_state),
        "gradients": sum(block.size for group in groups for block in group.grads),
        "waiting_gradients": sum(block.size for group in groups for block in group.waiting),
        "activations": max(0, kept),
        "unsharded_groups": sum(block.size for group in groups for block in (*group.blocks, *group.held_parts)),
    }
    parts["working"] = max(0, total - sum(parts.values()))
    return parts
