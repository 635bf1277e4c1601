"""The buffers of FSDP2's collectives, and in which pool they are.

Read in torch/distributed/fsdp/_fully_shard (2.13): `_fsdp_collectives.py` for the buffers,
`_fsdp_param_group.py` for the order of their release.

- Gather: on the all-gather copy-in stream, the cast shard (released at once) and the
  gathered buffer; then one tensor for each parameter on the default stream. In the
  forward the gathered buffer lives until the next group has copied out; in the backward
  until its own copy-out.
- Reduce: the previous group's reduce-scatter input is released, this group's is allocated
  on the default stream, the gradients are released, and the sharded gradient is allocated
  on the reduce-scatter stream, where it stays until the gradients are zeroed.
"""

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.buffers import DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM, keep_unsharded, release_all
from engines.sizing.groups import Group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup


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
        if group.held_parts:  # sent from where they are, which is in the compute dtype already
            copies = [malloc(sum(group.parts), GATHER_STREAM)]
        elif self._setup.cpu_offload:
            copies = [self._uploaded(*sizes) for sizes in zip(group.shards, group.unsharded, strict=True)]
        elif self._setup.gathered_bytes == DTYPE_BYTES[self._setup.master_dtype] and not self._setup.lora_rank:
            copies = []  # nothing is cast: the shards go into their part of the output as they are
        else:
            copies = [malloc(group.gather_input, GATHER_STREAM)]
        group.pending = malloc(group.gathered, GATHER_STREAM)
        for block in copies:
            release(block)

    def _uploaded(self, shard: int, whole: int) -> Block:
        """Upload a parameter's shard, and cast it before the next one comes."""
        upload = self._allocator.malloc(shard, GATHER_STREAM)
        if self._setup.gathered_bytes == DTYPE_BYTES[self._setup.master_dtype]:
            return upload
        cast = self._allocator.malloc(whole // self._setup.shard_ranks, GATHER_STREAM)
        self._allocator.release(upload)
        return cast

    def wait(self, group: Group, *, forward: bool) -> None:
        """Copy a group's gathered parameters out."""
        if group.blocks or not group.gathered:
            return
        malloc, release = self._allocator.malloc, self._allocator.release
        group.blocks = [malloc(size) for size in group.unsharded]
        if forward and self._copied_out:  # a name in torch's wait_for_unshard holds it until then
            release(self._copied_out)
            self._copied_out = None
        release_all(self._allocator, group.held_parts)
        group.held_parts = []
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

    def keep_parts(self, group: Group) -> None:
        """Reshard a group after forward, to fewer ranks where that is asked for."""
        group.held_parts = [self._allocator.malloc(size) for size in group.parts]
        self.reshard(group)

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
            release_all(self._allocator, grads)
            grads, group.waiting = group.waiting, []
        master, reduce = DTYPE_BYTES[setup.master_dtype], DTYPE_BYTES[setup.reduce_dtype]
        self._reduce_input = malloc(reduce * group.whole_elements, self._reduce_input_stream)
        held = self._held(group, grads)
        for block in grads:
            if block is not held:
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
        if held is not None:
            release(held)

    def _held(self, group: Group, grads: list[Block]) -> Block | None:
        """Return the gradient of the group's last parameter: a loop's name in torch's foreach_reduce holds it.

        Torch has that loop since it shards along other dimensions than the first (2.6).
        """
        if not grads or not self._setup.reduce_input_default_stream:
            return None
        return min(grads, key=lambda block: abs(block.size - group.unsharded[-1]))

    def accumulate(self, group: Group, grads: list[Block]) -> None:
        """Cast a group's gradients to the reduce dtype and keep them unsharded."""
        if group.reshard:
            self.reshard(group)
        keep_unsharded(self._allocator, self._setup, group, grads)

    def end_backward(self) -> None:
        """Release the last reduce-scatter input."""
        if self._reduce_input:
            self._allocator.release(self._reduce_input)
            self._reduce_input = None
