"""One rank's memory through training steps, allocation by allocation."""

from collections.abc import Sequence

from engines.sizing.allocator import MIB, Block, CachingAllocator
from engines.sizing.away import Away, Slots
from engines.sizing.buffers import release_all
from engines.sizing.collectives import collectives
from engines.sizing.fsdp2 import Fsdp2
from engines.sizing.groups import Group
from engines.sizing.layout import Layout
from engines.sizing.optimizers import host_bytes, run_step, state_sizes
from engines.sizing.peak import Peak, components
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Event

CUBLAS_WORKSPACE_BYTES = 32 * MIB
"""cuBLAS workspace of a Hopper GPU for each thread that multiplies (forward, backward):
aten/src/ATen/cuda/CublasHandlePool.cpp; 8.1 MiB on older ones."""


class Step:
    """The training steps of one rank (without pipeline parallelism)."""

    def __init__(
        self,
        shape: ModelShape,
        setup: TrainingSetup,
        layout: Layout,
        limit: int | None = None,
        *,
        more: Sequence[Layout] = (),
    ) -> None:
        """Allocate the sharded parameters.

        Args:
            shape: The model.
            setup: How it is trained.
            layout: This rank's part of it.
            limit: Bytes that the device can give.
            more: Further parts, where the rank has several.
        """
        self.shape, self.setup, self.layout = shape, setup, layout
        self.layouts = (layout, *more)
        self.groups = [group for part in self.layouts for group in part.groups]
        # Host memory has no segments; the expandable form adds the least to what is asked for.
        self.allocator = CachingAllocator(expandable=setup.expandable_segments or setup.device == "cpu", limit=limit)
        self.fsdp = collectives(self.allocator, setup)
        self.peak = Peak()
        self.saved = self.seen = 0
        self.caches: list[Block] = []
        self.away = Away(self.allocator)
        self.optimizer_state: list[Block] = []
        # The model comes first, the libraries' workspaces with the first product.
        shards = [shard for part in self.layouts for shard in part.in_model_order(lambda group: group.shards)]
        self.state = [] if setup.cpu_offload else [self.allocator.malloc(shard) for shard in shards]
        if setup.fsdp == 0 and setup.ranks > 1:  # DDP reduces copies of the gradients, in buckets
            learned = sum(elements for group in self.groups for elements in group.learned)
            self.state.append(self.allocator.malloc(DTYPE_BYTES[setup.master_dtype] * learned))
        threads = 2 if setup.device == "cuda" else 0
        self.workspaces = [self.allocator.malloc(CUBLAS_WORKSPACE_BYTES) for _ in range(threads)]

    @property
    def host(self) -> int:
        """Peak of the bytes that are offloaded to host memory."""
        return host_bytes(self.setup, self.groups) + self.away.host_peak

    def step(self) -> None:
        """Run one optimizer step."""
        for group in self.groups:
            for block in group.grads:
                self.allocator.release(block)
            group.grads = []
        self.micro_steps()
        self._optimize()

    def micro_steps(self) -> None:
        """Run the micro-steps; the second stands for all that follow it."""
        count = min(2, self.setup.grad_accum)
        for index in range(count):
            lives, hidden = self.forward()
            assert hidden is not None
            self.backward(lives, *self.head(hidden), reduce=index == count - 1 or not self.setup.accumulate_unsharded)

    def forward(self) -> tuple[list[Slots], Block]:
        """Run the forward of this rank's layers; returns what they keep and their result."""
        setup, layout, fsdp, malloc = self.setup, self.layout, self.fsdp, self.allocator.malloc
        inputs = malloc(2 * 8 * setup.tokens)  # token ids and labels, int64
        fsdp.gather(layout.first)
        fsdp.wait(layout.first, forward=True)
        hidden = malloc(setup.residual_bytes * setup.tokens // setup.tp * self.shape.hidden)
        if layout.first is not layout.last:
            self.reshard(layout.first)
        lives: list[Slots] = [[inputs]]
        for piece, group in layout.blocks:
            slots: Slots = [None] * piece.slots
            slots[piece.source] = hidden
            fsdp.gather(group)
            fsdp.wait(group, forward=True)
            before = self.allocator.active
            self.run(piece.forward, slots, "forward")
            if setup.kv_kept and piece.checkpointed:
                self.caches += [malloc(setup.act_bytes * setup.tokens * self.shape.kv_dim // setup.tp) for _ in "kv"]
            self.saved += max(0, self.allocator.active - before)
            hidden = _filled(slots, piece.result)
            self.reshard(group)
            if setup.act_offload:
                self.away.send(slots, piece.kept)
            lives.append(slots)
        return lives, hidden

    def head(self, hidden: Block) -> tuple[Block, list[Block]]:
        """Run the model's end, forward and backward; returns its input's gradient and the weights'."""
        fsdp, layout, head = self.fsdp, self.layout, self.layout.head
        assert head is not None
        piece = head.piece
        slots: Slots = [None] * piece.slots
        slots[piece.source] = hidden
        fsdp.gather(layout.last)
        fsdp.wait(layout.last, forward=True)
        self.run(piece.forward[: head.loss_starts], slots, "forward")
        self.reshard(layout.last)
        fsdp.end_forward()
        self.run(piece.forward[head.loss_starts :], slots, "loss")
        self.run(piece.backward[: head.loss_ends], slots, "loss")
        fsdp.gather(layout.last)
        fsdp.wait(layout.last, forward=False)
        fsdp.gather(layout.blocks[-1][1])
        self.run(piece.backward[head.loss_ends :], slots, "backward")
        grads = [_filled(slots, slot) for slot in piece.weight_grads]
        if layout.first is not layout.last:
            fsdp.reduce(layout.last, grads)
            grads = []
        return _filled(slots, piece.grad_out), grads

    def backward(self, lives: list[Slots], grad: Block, root_grads: list[Block], *, reduce: bool = True) -> None:
        """Run the backward of this rank's layers.

        Args:
            lives: What each layer kept, after the inputs.
            grad: Gradient of the last layer's result.
            root_grads: Gradients of the root group so far.
            reduce: Reduce the gradients; otherwise they wait unsharded.
        """
        layout, fsdp, allocator = self.layout, self.fsdp, self.allocator
        finish = fsdp.reduce if reduce else fsdp.accumulate
        for index in reversed(range(len(layout.blocks))):
            piece, group = layout.blocks[index]
            slots = lives.pop()
            self.away.fetch(slots)
            slots[piece.grad_in] = grad
            fsdp.gather(group)
            fsdp.wait(group, forward=False)
            fsdp.gather(layout.blocks[index - 1][1] if index else layout.first)
            if index:
                self.away.fetch(lives[-1])  # on its way, while this block computes
            before = allocator.active
            self.run(piece.backward, slots, "backward")
            grads = [_filled(slots, slot) for slot in piece.weight_grads]
            self.saved += allocator.active - before - sum(block.size for block in grads)
            grad = _filled(slots, piece.grad_out)
            if group.reduce_elements:
                finish(group, grads)
            else:
                fsdp.reshard(group)
                root_grads += grads
        self._embedding(lives, grad, root_grads, reduce=reduce)

    def _embedding(self, lives: list[Slots], grad: Block, root_grads: list[Block], *, reduce: bool) -> None:
        """Run the embedding's backward and end the backward pass."""
        setup, layout, fsdp, allocator = self.setup, self.layout, self.fsdp, self.allocator
        before = allocator.peak_active
        if layout.has_embedding and not setup.lora_rank:
            fsdp.wait(layout.first, forward=False)
            rows = -(-self.shape.vocab // setup.tp)
            root_grads.append(allocator.malloc(setup.gathered_bytes * rows * self.shape.hidden))
            if self.shape.tied and len(root_grads) > 1:
                allocator.release(root_grads.pop())  # added to the head's gradient
        allocator.release(grad)
        if reduce:
            fsdp.reduce(layout.first, root_grads)
            fsdp.end_backward()
        else:
            fsdp.accumulate(layout.first, root_grads)
        release_all(allocator, self.caches)
        self.caches = []
        allocator.release(_filled(lives.pop(), 0))
        if not lives and self.setup.pp == 1:
            self.saved = 0
        if allocator.peak_active > before:
            self._remember("backward")

    def reshard(self, group: Group) -> None:
        """Reshard a group after forward, if it is one that is."""
        if not group.reshard:
            return
        if isinstance(self.fsdp, Fsdp2):
            self.fsdp.keep_parts(group)
        else:
            self.fsdp.reshard(group)

    def run(self, events: Sequence[Event], slots: Slots, phase: str) -> None:
        """Replay a program."""
        malloc, release = self.allocator.malloc, self.allocator.release
        if self.allocator.peak_active > self.seen:  # between two pieces, by a gather
            self._remember(phase)
        for slot, size in events:
            if size:
                slots[slot] = malloc(size)
            else:
                release(slots[slot])  # type: ignore[arg-type]  # the tape allocated it before
        if self.allocator.peak_active > self.seen:
            self._remember(phase)

    def _remember(self, phase: str) -> None:
        """Note the components at a new peak."""
        self.seen = self.allocator.peak_active
        kept = self.saved - self.away.host
        parts = components(self.state, self.optimizer_state, self.groups, kept, self.allocator.peak_active)
        self.peak = Peak(phase, parts)

    def _optimize(self) -> None:
        setup, allocator, groups = self.setup, self.allocator, self.groups
        if setup.cpu_offload or setup.optimizer == "none" or setup.optimizer_in_backward:
            return
        before = allocator.peak_active
        if not self.optimizer_state and not setup.optimizer_paged:
            shards = [size for part in self.layouts for size in part.in_model_order(lambda group: group.learned)]
            sizes = [size for elements in shards for size in state_sizes(setup, elements)]
            self.optimizer_state = [allocator.malloc(size) for size in sizes]
        run_step(setup, groups, allocator)
        if allocator.peak_active > before:
            self._remember("optimizer")


def _filled(slots: Slots, slot: int) -> Block:
    block = slots[slot]
    assert block is not None, "the program did not fill this slot"
    return block
