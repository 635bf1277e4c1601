"""The buffers of FSDP1's collectives (torch/distributed/fsdp/_flat_param.py, _runtime_utils.py)."""

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.buffers import GATHER_STREAM, REDUCE_STREAM, release_all
from engines.sizing.groups import Group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup


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
        # A shard that is stored in the compute dtype, on the device, is sent from where it is.
        narrow = self._setup.cpu_offload or sum(group.shards) != group.gather_input
        copied = self._allocator.malloc(group.gather_input, GATHER_STREAM) if narrow else None
        group.blocks = [self._allocator.malloc(group.gathered, GATHER_STREAM)]
        if copied:
            self._allocator.release(copied)

    def wait(self, group: Group, *, forward: bool) -> None:
        """Nothing: the parameters are views of the gathered buffer."""
        del forward
        self.gather(group)

    def reshard(self, group: Group) -> None:
        """Release a flat parameter; the rate limiter lets one more be in flight.

        FSDP1 frees it at once, but the computation was recorded on it (record_stream), so
        that it cannot be reused before the limiter has waited for that event.
        """
        for block in group.blocks:
            self._allocator.retire(block)
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
            release_all(self._allocator, grads)
            grads, group.waiting = group.waiting, []
        whole = group.whole_elements
        self._late_grad = malloc(setup.gathered_bytes * whole)
        for block in grads:
            release(block)
        reduce, master = DTYPE_BYTES[setup.reduce_dtype], DTYPE_BYTES[setup.master_dtype]
        cast = malloc(reduce * whole, REDUCE_STREAM) if reduce != setup.gathered_bytes else None
        output = malloc(master * group.reduce_elements, REDUCE_STREAM)
        if cast:
            release(cast)
        if group.grads or setup.cpu_offload:
            release(output)
        else:
            group.grads = [output]

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Keep a group's flat gradient unsharded, in the compute dtype (no_sync)."""
        self.reshard(group)
        if group.reduce_elements and not group.waiting:
            whole = group.whole_elements
            group.waiting = [self._allocator.malloc(self._setup.gathered_bytes * whole)]
        release_all(self._allocator, grads)

    def end_backward(self) -> None:
        """Release the last flat gradient, which another stream still read."""
        if self._late_grad:
            self._allocator.release(self._late_grad)
            self._late_grad = None
