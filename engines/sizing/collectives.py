"""What gathering, resharding and reducing a parameter group allocates, and in which pool.

`Fsdp2` follows torch/distributed/fsdp/_fully_shard (2.13): `_fsdp_collectives.py` for the
buffers, `_fsdp_param_group.py` for the order of their release.

- Gather: on the all-gather copy-in stream, the cast shard (released at once) and the
  gathered buffer; then one tensor for each parameter on the default stream. In the
  forward the gathered buffer lives until the next group has copied out; in the backward
  until its own copy-out.
- Reduce: the previous group's reduce-scatter input is released, this group's is allocated
  on the default stream, the gradients are released, and the sharded gradient is allocated
  on the reduce-scatter stream, where it stays until the gradients are zeroed.

`Fsdp1` follows torch/distributed/fsdp/_flat_param.py and _runtime_utils.py; `Unsharded` is
one process, or DDP.
"""

from typing import Protocol

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.groups import Group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup

DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM = 0, 1, 2
"""Streams whose pools a training step uses."""


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


class Fsdp2:
    """fully_shard."""

    def __init__(self, allocator: CachingAllocator, setup: TrainingSetup) -> None:
        """Start with every group sharded."""
        self._allocator, self._setup = allocator, setup
        self._copied_out: Block | None = None
        self._reduce_input: Block | None = None
        self._reduce_input_stream = DEFAULT_STREAM if setup.reduce_input_default_stream else REDUCE_STREAM

    def gather(self, group: Group) -> None:
        """Start a group's all-gather, unless it is there or on its way."""
        if group.blocks or group.pending or not group.gathered:
            return
        malloc, release = self._allocator.malloc, self._allocator.release
        if self._setup.cpu_offload:  # each shard is uploaded, and cast on its own
            copies = [malloc(size, GATHER_STREAM) for size in group.shards]
            if self._setup.act_bytes != DTYPE_BYTES[self._setup.master_dtype]:
                copies += [malloc(size // self._setup.shard_ranks, GATHER_STREAM) for size in group.unsharded]
        else:
            copies = [malloc(group.gather_input, GATHER_STREAM)]
        group.pending = malloc(group.gathered, GATHER_STREAM)
        for block in copies:
            release(block)

    def wait(self, group: Group, *, forward: bool) -> None:
        """Copy a group's gathered parameters out."""
        if group.blocks or not group.gathered:
            return
        malloc, release = self._allocator.malloc, self._allocator.release
        if forward and self._copied_out:
            release(self._copied_out)
            self._copied_out = None
        group.blocks = [malloc(size) for size in group.unsharded]
        if group.pending:
            if forward:
                self._copied_out = group.pending
            else:
                release(group.pending)
            group.pending = None

    def reshard(self, group: Group) -> None:
        """Release a group's gathered parameters."""
        for block in group.blocks:
            self._allocator.release(block)
        group.blocks = []

    def end_forward(self) -> None:
        """Release the last all-gather output of the forward."""
        if self._copied_out:
            self._allocator.release(self._copied_out)
            self._copied_out = None

    def reduce(self, group: Group, grads: list[Block]) -> None:
        """Reshard a group and reduce its gradients."""
        malloc, release = self._allocator.malloc, self._allocator.release
        self.reshard(group)
        self.end_backward()
        if not group.reduce_elements:
            assert not grads
            return
        setup = self._setup
        if group.waiting:
            _release_all(self._allocator, grads)
            grads, group.waiting = group.waiting, []
        master, reduce = DTYPE_BYTES[setup.master_dtype], DTYPE_BYTES[setup.reduce_dtype]
        self._reduce_input = malloc(reduce * setup.shard_ranks * group.reduce_elements, self._reduce_input_stream)
        for block in grads:
            release(block)
        output = malloc(reduce * group.reduce_elements, REDUCE_STREAM)
        if master != reduce:
            cast = malloc(master * group.reduce_elements, REDUCE_STREAM)
            release(output)
            output = cast
        if group.grads or setup.cpu_offload or setup.optimizer_in_backward:
            release(output)  # added to the gradient that is there, copied to the host, or used up
        else:
            group.grads = [output]

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Cast a group's gradients to the reduce dtype and keep them unsharded."""
        if group.reshard:
            self.reshard(group)
        _accumulate(self._allocator, self._setup, group, grads)

    def end_backward(self) -> None:
        """Release the last reduce-scatter input."""
        if self._reduce_input:
            self._allocator.release(self._reduce_input)
            self._reduce_input = None


class Fsdp1:
    """FullyShardedDataParallel: one flat parameter for each group, used where it was gathered."""

    def __init__(self, allocator: CachingAllocator, setup: TrainingSetup) -> None:
        """Start with every group sharded."""
        self._allocator, self._setup = allocator, setup
        self._late: list[Block] = []
        self._late_grad: Block | None = None

    def gather(self, group: Group) -> None:
        """Gather a group's flat parameter on the all-gather stream."""
        if group.blocks or not group.gathered:
            return
        copied = self._allocator.malloc(group.gather_input, GATHER_STREAM)
        group.blocks = [self._allocator.malloc(group.gathered, GATHER_STREAM)]
        self._allocator.release(copied)

    def wait(self, group: Group, *, forward: bool) -> None:
        """Nothing: the parameters are views of the gathered buffer."""
        del forward
        self.gather(group)

    def reshard(self, group: Group) -> None:
        """Release a flat parameter; the rate limiter lets one more be in flight."""
        self._late += group.blocks
        group.blocks = []
        while len(self._late) > 1:
            self._allocator.release(self._late.pop(0))

    def end_forward(self) -> None:
        """Nothing is left."""

    def reduce(self, group: Group, grads: list[Block]) -> None:
        """Join the gradients to a flat one, cast it on the reduce stream and scatter it."""
        malloc, release, setup = self._allocator.malloc, self._allocator.release, self._setup
        self.reshard(group)
        self.end_backward()
        if not group.reduce_elements:
            return
        if group.waiting:
            _release_all(self._allocator, grads)
            grads, group.waiting = group.waiting, []
        whole = group.reduce_elements * setup.shard_ranks
        self._late_grad = malloc(setup.act_bytes * whole)
        for block in grads:
            release(block)
        reduce, master = DTYPE_BYTES[setup.reduce_dtype], DTYPE_BYTES[setup.master_dtype]
        cast = malloc(reduce * whole, REDUCE_STREAM) if reduce != setup.act_bytes else None
        output = malloc(master * group.reduce_elements, REDUCE_STREAM)
        if cast:
            release(cast)
        if group.grads or setup.cpu_offload:
            release(output)
        else:
            group.grads = [output]

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Keep a group's gradients unsharded (no_sync)."""
        self.reshard(group)
        _accumulate(self._allocator, self._setup, group, grads)

    def end_backward(self) -> None:
        """Release the last flat gradient, which another stream still read."""
        if self._late_grad:
            self._allocator.release(self._late_grad)
            self._late_grad = None


class Unsharded:
    """One process, or DDP: parameters are used as they are, or cast for each use."""

    def __init__(self, allocator: CachingAllocator, setup: TrainingSetup) -> None:
        """Start with nothing gathered."""
        self._allocator, self._setup = allocator, setup
        self._casts = setup.fsdp > 0 and setup.act_bytes != DTYPE_BYTES[setup.master_dtype]

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
            _release_all(self._allocator, grads)
        else:
            group.grads = grads

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Keep the gradients where they are."""
        self.reduce(group, grads)

    def end_backward(self) -> None:
        """Nothing is left."""


def _release_all(allocator: CachingAllocator, blocks: list[Block]) -> None:
    for block in blocks:
        allocator.release(block)


def _accumulate(allocator: CachingAllocator, setup: TrainingSetup, group: Group, grads: list[Block]) -> None:
    """Add gradients to those that wait, or cast the first ones to the reduce dtype."""
    if not group.waiting and group.reduce_elements:
        size, ranks = DTYPE_BYTES[setup.reduce_dtype], setup.shard_ranks
        group.waiting = [allocator.malloc(size * ranks * elements) for elements in group.learned]
    _release_all(allocator, grads)
