"""FSDP2's parameter groups: what gathering, resharding and reducing allocates, and where.

Read in torch/distributed/fsdp/_fully_shard (2.13): `_fsdp_collectives.py` for the buffers,
`_fsdp_param_group.py` for the order of their release.

- Gather: on the all-gather copy-in stream, the cast shard (freed at once) and the gathered
  buffer; then one tensor for each parameter on the default stream. In the forward the
  gathered buffer lives until the next group has copied out; in the backward until its own
  copy-out.
- Reduce: the previous group's reduce-scatter input is released, this group's is allocated
  on the default stream, the gradients are released, and the sharded gradient is allocated
  on the reduce-scatter stream, where it stays until the gradients are zeroed.
"""

from dataclasses import dataclass, field

from engines.sizing.allocator import Block, CachingAllocator
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup

DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM = 0, 1, 2
"""Streams whose pools a step of FSDP2 uses."""

Sizes = tuple[tuple[int, int], ...]
"""(rows, columns) of some tensors."""


@dataclass
class Group:
    """The parameters that are gathered together."""

    unsharded: tuple[int, ...]
    """Bytes of each gathered parameter."""
    shards: tuple[int, ...]
    """Elements of each parameter's shard."""
    gathered: int
    """Bytes of the all-gather output."""
    gather_input: int
    """Bytes of this rank's part of it."""
    reduce_input: int
    """Bytes of the reduce-scatter input."""
    reduce_output: int
    """Bytes of the sharded gradient."""
    reshard: bool
    """Whether it is resharded after forward."""
    trained: bool
    """Whether it has gradients."""
    blocks: list[Block] = field(default_factory=list)
    """The gathered parameters, while they are there."""
    pending: Block | None = None
    """The all-gather output, until it is copied out."""
    grad: Block | None = None
    """The sharded gradient."""


def make_group(sizes: Sizes, setup: TrainingSetup, *, reshard: bool, trained: Sizes | None = None) -> Group:
    """Return a group of tensors, each sharded along its rows with padding.

    Args:
        sizes: The tensors.
        setup: How they are trained.
        reshard: Whether they are resharded after forward.
        trained: Those with gradients, where that is not all of them.
    """
    ranks, compute, reduce = setup.shard_ranks, setup.act_bytes, DTYPE_BYTES[setup.reduce_dtype]
    shards = tuple(-(-rows // ranks) * cols for rows, cols in sizes)
    learned = sizes if trained is None else trained
    reduced = sum(-(-rows // ranks) * cols for rows, cols in learned)
    return Group(
        unsharded=tuple(compute * ranks * shard for shard in shards),
        shards=shards,
        gathered=compute * ranks * sum(shards),
        gather_input=compute * sum(shards),
        reduce_input=reduce * ranks * reduced,
        reduce_output=reduce * reduced,
        reshard=reshard,
        trained=reduced > 0,
    )


class Fsdp2:
    """The collectives' buffers of a step."""

    def __init__(self, allocator: CachingAllocator, setup: TrainingSetup) -> None:
        """Start with every group sharded."""
        self._allocator, self._setup = allocator, setup
        self._copied_out: Block | None = None
        self._reduce_input: Block | None = None
        self._sharded = setup.shard_ranks > 1
        self._reduce_input_stream = DEFAULT_STREAM if setup.reduce_input_default_stream else REDUCE_STREAM

    def gather(self, group: Group) -> None:
        """Start a group's all-gather, unless it is there or on its way."""
        if group.blocks or group.pending or not self._sharded:
            return
        copied = self._allocator.malloc(group.gather_input, GATHER_STREAM)
        group.pending = self._allocator.malloc(group.gathered, GATHER_STREAM)
        self._allocator.release(copied)

    def wait(self, group: Group, *, forward: bool) -> None:
        """Copy a group's gathered parameters out."""
        if group.blocks:
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
        if not group.trained:
            assert not grads
            return
        self._reduce_input = malloc(group.reduce_input, self._reduce_input_stream)
        for block in grads:
            release(block)
        output = malloc(group.reduce_output, REDUCE_STREAM)
        master, reduce = (DTYPE_BYTES[name] for name in (self._setup.master_dtype, self._setup.reduce_dtype))
        if master != reduce:
            cast = malloc(group.reduce_output * master // reduce, REDUCE_STREAM)
            release(output)
            output = cast
        if group.grad or self._setup.cpu_offload:
            release(output)  # added to the gradient that is there, or copied to the host
        else:
            group.grad = output

    def end_backward(self) -> None:
        """Release the last reduce-scatter input."""
        if self._reduce_input:
            self._allocator.release(self._reduce_input)
            self._reduce_input = None

    def zero_grad(self, group: Group) -> None:
        """Release a group's sharded gradient."""
        if group.grad:
            self._allocator.release(group.grad)
            group.grad = None
