"""Some training steps of FSDP2 as allocations, replayed through the allocator model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.sizing import weights
from engines.sizing.allocator import MIB, Block, CachingAllocator
from engines.sizing.decoder import Piece, group_weights, record_block
from engines.sizing.ends import HeadPiece, record_head
from engines.sizing.groups import DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM, Fsdp2, Group, make_group
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Event

STEPS = 3
"""Steps that are replayed: the first creates optimizer state, the second meets the pools
that the first left, the third shows that nothing grows any more."""

CUBLAS_WORKSPACE_BYTES = 32 * MIB
"""cuBLAS workspace of a Hopper GPU for each thread that multiplies (forward, backward):
aten/src/ATen/cuda/CublasHandlePool.cpp; 8.1 MiB on older ones."""


@dataclass
class Peak:
    """The moment of the highest allocation."""

    phase: str = "start"
    """Phase of the step."""
    parts: dict[str, int] = field(default_factory=dict)
    """Bytes by component."""


@dataclass(frozen=True)
class Replay:
    """What the replay found, in bytes."""

    active: int
    """Peak of the allocated bytes."""
    reserved: int
    """Peak of the reserved bytes."""
    first_step: int
    """Reserved bytes at the end of the first step."""
    peak: Peak
    """Where the allocated bytes peak."""
    pools: dict[str, int]
    """Reserved bytes by stream."""


class Step:
    """One rank's memory through training steps."""

    def __init__(self, shape: ModelShape, setup: TrainingSetup) -> None:
        """Record the pieces and allocate the sharded parameters."""
        self.shape, self.setup = shape, setup
        self.allocator = CachingAllocator(expandable=setup.expandable_segments)
        self.fsdp = Fsdp2(self.allocator, setup)
        self._record()
        self.peak = Peak()
        self.saved = 0
        self.state: list[Block] = []
        self.optimizer_state: list[Block] = []
        self.workspaces = [self.allocator.malloc(CUBLAS_WORKSPACE_BYTES) for _ in range(2)]
        self._allocate_parameters()

    def _record(self) -> None:
        shape, setup = self.shape, self.setup
        pieces: dict[tuple[bool, bool], Piece] = {}
        self.blocks: list[tuple[Piece, Group]] = []
        for layer in range(shape.layers):
            kind = shape.is_mixture(layer), self._checkpointed(layer)
            if kind not in pieces:
                pieces[kind] = record_block(shape, setup, mixture=kind[0], checkpointed=kind[1])
            last = layer == shape.layers - 1 and setup.wrap == "blocks_root" and not setup.reshard_last
            sizes = group_weights(shape, setup, mixture=kind[0])
            group = make_group(sizes, setup, reshard=setup.reshard_after_forward and not last)
            self.blocks.append((pieces[kind], group))
        self.head: HeadPiece = record_head(shape, setup)
        outer = [_split(part, setup) for part in (weights.embedding(shape), weights.final_norm(shape), weights.head(shape))]
        if setup.wrap == "emb_blocks_head":
            reshard = setup.reshard_after_forward
            self.first = make_group(outer[0], setup, reshard=reshard)
            self.last = make_group((*outer[1], *outer[2]), setup, reshard=reshard and setup.reshard_last)
        else:
            self.first = self.last = make_group(
                (*outer[0], *outer[1], *outer[2]), setup, reshard=setup.root_reshard and setup.reshard_after_forward
            )

    def _checkpointed(self, layer: int) -> bool:
        if self.setup.ac == "every_k":
            return layer % self.setup.ac_every == 0
        return self.setup.ac != "none"

    @property
    def groups(self) -> list[Group]:
        """Every parameter group, in the order of the model."""
        ends = [self.first] if self.first is self.last else [self.first, self.last]
        return [ends[0], *(group for _, group in self.blocks), *ends[1:]]

    def _allocate_parameters(self) -> None:
        master = DTYPE_BYTES[self.setup.master_dtype]
        if not self.setup.cpu_offload:
            self.state = [self.allocator.malloc(master * shard) for group in self.groups for shard in group.shards]

    def run(self, events: Sequence[Event], slots: list[Block | None], phase: str) -> None:
        """Replay a program."""
        malloc, release, before = self.allocator.malloc, self.allocator.release, self.allocator.peak_active
        for slot, size in events:
            if size:
                slots[slot] = malloc(size)
            else:
                block = slots[slot]
                assert block is not None
                release(block)
        if self.allocator.peak_active > before:
            self._remember(phase)

    def _remember(self, phase: str) -> None:
        """Note the components at a new peak; what they leave is the phase's own work."""
        parts = {
            "parameters": sum(block.size for block in self.state),
            "optimizer_state": sum(block.size for block in self.optimizer_state),
            "gradients": sum(group.grad.size for group in self.groups if group.grad),
            "activations": self.saved,
            "unsharded_groups": sum(block.size for group in self.groups for block in group.blocks),
        }
        parts["working"] = self.allocator.peak_active - sum(parts.values())
        self.peak = Peak(phase, parts)

    def step(self) -> None:
        """Replay one optimizer step."""
        for group in self.groups:
            self.fsdp.zero_grad(group)
        for _ in range(self.setup.grad_accum if self.setup.grad_accum < 2 else 2):
            self._micro_step()
        self._optimize()

    def _micro_step(self) -> None:
        setup, shape, fsdp, malloc = self.setup, self.shape, self.fsdp, self.allocator.malloc
        tokens = setup.tokens // setup.tp
        batch = [malloc(8 * setup.tokens) for _ in range(2)]  # token ids and labels, int64
        fsdp.gather(self.first)
        fsdp.wait(self.first, forward=True)
        hidden = malloc(setup.act_bytes * tokens * shape.hidden)
        if self.first is not self.last:
            self._reshard(self.first)
        lives: list[list[Block | None]] = []
        for piece, group in self.blocks:
            slots: list[Block | None] = [None] * piece.slots
            slots[piece.source] = hidden
            fsdp.gather(group)
            fsdp.wait(group, forward=True)
            before = self.allocator.active
            self.run(piece.forward, slots, "forward")
            result = slots[piece.result]
            assert result is not None
            self.saved += self.allocator.active - before
            hidden = result
            self._reshard(group)
            lives.append(slots)
        grad = self._head(hidden, batch[1])
        self._backward(lives, grad)
        for block in batch:
            self.allocator.release(block)

    def _reshard(self, group: Group) -> None:
        if group.reshard:
            self.fsdp.reshard(group)

    def _head(self, hidden: Block, labels: Block) -> tuple[Block, list[Block]]:
        """Run the model's end, forward and backward; returns its input's gradient and the weights'."""
        del labels
        fsdp, head, piece = self.fsdp, self.head, self.head.piece
        slots: list[Block | None] = [None] * piece.slots
        slots[piece.source] = hidden
        if self.first is not self.last:
            fsdp.gather(self.last)
            fsdp.wait(self.last, forward=True)
        self.run(piece.forward[: head.loss_starts], slots, "forward")
        self._reshard(self.last)
        fsdp.end_forward()
        self.run(piece.forward[head.loss_starts :], slots, "loss")
        self.run(piece.backward[: head.loss_ends], slots, "loss")
        fsdp.gather(self.last)
        fsdp.wait(self.last, forward=False)
        fsdp.gather(self.blocks[-1][1])
        self.run(piece.backward[head.loss_ends :], slots, "backward")
        grads = [block for slot in piece.weight_grads if (block := slots[slot])]
        if self.first is not self.last:
            fsdp.reduce(self.last, grads)
            grads = []
        received = slots[piece.grad_out]
        assert received is not None
        return received, grads

    def _backward(self, lives: list[list[Block | None]], start: tuple[Block, list[Block]]) -> None:
        setup, fsdp, allocator = self.setup, self.fsdp, self.allocator
        grad, root_grads = start
        for index in reversed(range(len(self.blocks))):
            piece, group = self.blocks[index]
            slots = lives.pop()
            slots[piece.grad_in] = grad
            fsdp.gather(group)
            fsdp.wait(group, forward=False)
            fsdp.gather(self.blocks[index - 1][1] if index else self.first)
            before = allocator.active
            self.run(piece.backward, slots, "backward")
            received = slots[piece.grad_out]
            assert received is not None
            grads = [block for slot in piece.weight_grads if (block := slots[slot])]
            self.saved += allocator.active - before - sum(block.size for block in grads)
            grad = received
            fsdp.reduce(group, grads)
        self.saved = 0
        if not setup.lora_rank:
            fsdp.wait(self.first, forward=False)
            size = setup.act_bytes * self.shape.vocab // setup.tp * self.shape.hidden
            root_grads.append(allocator.malloc(size))
        allocator.release(grad)
        before = allocator.peak_active
        fsdp.reduce(self.first, root_grads)
        if allocator.peak_active > before:
            self._remember("backward")
        fsdp.end_backward()

    def _optimize(self) -> None:
        setup, allocator = self.setup, self.allocator
        if setup.cpu_offload or setup.optimizer == "none":
            return
        shards = [shard for group in self.groups for shard in group.shards]
        master, before = DTYPE_BYTES[setup.master_dtype], allocator.peak_active
        if not self.optimizer_state and not setup.optimizer_paged:
            sizes = _state_sizes(setup, master)
            self.optimizer_state = [allocator.malloc(size * shard) for shard in shards for size in sizes]
        if setup.optimizer_impl == "foreach" and setup.optimizer == "adamw":
            roots = [allocator.malloc(master * shard) for shard in shards]
            for block in roots:
                allocator.release(block)
        if allocator.peak_active > before:
            self._remember("optimizer")


def _state_sizes(setup: TrainingSetup, master: int) -> tuple[int, ...]:
    """Return the bytes of each optimizer tensor for one element of a shard."""
    if setup.optimizer == "adamw":
        return master, master
    if setup.optimizer == "adamw_8bit":
        return 1, 1
    return (master,) if setup.optimizer in ("sgd_momentum", "muon") else ()


def _split(part: weights.Weights, setup: TrainingSetup) -> tuple[tuple[int, int], ...]:
    return tuple((-(-weight.rows // setup.tp) if weight.cols > 1 else weight.rows, weight.cols) for weight in part)


def replay(shape: ModelShape, setup: TrainingSetup) -> Replay:
    """Replay some steps of a run and return its peaks."""
    step = Step(shape, setup)
    first = 0
    for index in range(STEPS):
        step.step()
        if index == 0:
            first = step.allocator.reserved
    names = {"default": DEFAULT_STREAM, "all_gather": GATHER_STREAM, "reduce_scatter": REDUCE_STREAM}
    pools = {name: step.allocator.reserved_by(stream) for name, stream in names.items()}
    return Replay(step.allocator.peak_active, step.allocator.reserved, first, step.peak, pools)
