"""What an optimizer keeps for each parameter, and what its step allocates on top.

Read in torch 2.13: `torch/optim/adam.py` (foreach: the square roots of all second moments at
once; loop: of one), `torch/optim/_muon.py` (one matrix at a time, in bf16), and bitsandbytes
(8-bit moments in blocks of 256 with an fp32 scale each).
"""

from engines.sizing.allocator import CachingAllocator
from engines.sizing.groups import Group
from engines.sizing.kinds import DTYPE_BYTES
from engines.sizing.setup import TrainingSetup

SCALED_BLOCK = 256
"""Elements of an 8-bit moment that have one fp32 scale."""

NEWTON_SCHULZ_BYTES = 2
"""Muon orthogonalises in bf16, whatever the parameters are."""


def state_sizes(setup: TrainingSetup, elements: int) -> tuple[int, ...]:
    """Return the bytes of each optimizer tensor for a shard of so many elements."""
    size = DTYPE_BYTES[setup.master_dtype] * elements
    if setup.optimizer == "adamw":
        return size, size
    if setup.optimizer == "adamw_8bit":
        scales = 4 * -(-elements // SCALED_BLOCK)
        return elements, elements, scales, scales
    return (size,) if setup.optimizer in ("sgd_momentum", "muon") else ()


def host_bytes(setup: TrainingSetup, groups: list[Group]) -> int:
    """Return the host memory of one rank where parameters are offloaded: shards, gradients and state."""
    if not setup.cpu_offload:
        return 0
    learned = [elements for group in groups for elements in group.learned]
    gradients = DTYPE_BYTES[setup.master_dtype] * sum(learned)
    state = sum(sum(state_sizes(setup, elements)) for elements in learned)
    return sum(size for group in groups for size in group.shards) + gradients + state


def run_step(setup: TrainingSetup, groups: list[Group], allocator: CachingAllocator) -> None:
    """Allocate and release what the optimizer's step needs for a while."""
    master = DTYPE_BYTES[setup.master_dtype]
    shards = [elements for group in groups for elements in group.learned]
    if setup.optimizer == "adamw" and setup.optimizer_impl == "foreach":
        roots = [allocator.malloc(master * elements) for elements in shards]
        for block in roots:
            allocator.release(block)
    elif setup.optimizer == "adamw" and setup.optimizer_impl == "loop":
        _together(allocator, master * max(shards, default=0))
    elif setup.optimizer == "muon":
        for rows, cols in sorted({matrix for group in groups for matrix in group.matrices}):
            _orthogonalise(setup, allocator, rows, cols)


def _orthogonalise(setup: TrainingSetup, allocator: CachingAllocator, rows: int, cols: int) -> None:
    """Run Newton-Schulz on one matrix, which every rank gathers whole.

    At once: the update of this rank's shard, the matrix before and after an iteration, its
    product with itself and the polynomial of that (both of the shorter side squared).
    """
    whole, square = NEWTON_SCHULZ_BYTES * rows * cols, NEWTON_SCHULZ_BYTES * min(rows, cols) ** 2
    update = DTYPE_BYTES[setup.master_dtype] * -(-rows * cols // setup.shard_ranks)
    _together(allocator, update, whole, whole, square, square)


def _together(allocator: CachingAllocator, *sizes: int) -> None:
    blocks = [allocator.malloc(size) for size in sizes if size]
    for block in blocks:
        allocator.release(block)
