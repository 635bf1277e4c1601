"""A decoder block as operations on a tape: attention, feed-forward or experts, residuals."""

from dataclasses import dataclass
from functools import cached_property

from engines.sizing.block import Block, numerics
from engines.sizing.experts import experts
from engines.sizing.feed_forward import feed_forward
from engines.sizing.heads import attention
from engines.sizing.norms import norm
from engines.sizing.operations import add
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Mode, Program, Tape, Tensor


@dataclass(frozen=True)
class Piece:
    """A recorded part of the model, ready to be replayed."""

    forward: Program
    """Takes the input in `source` and leaves the result in `result`."""
    backward: Program
    """Takes the result's gradient in `grad_in` and leaves the input's in `grad_out`."""
    slots: int
    """Slots that a replay needs."""
    source: int
    """Slot of the input."""
    result: int
    """Slot of the output."""
    grad_in: int
    """Slot of the output's gradient."""
    grad_out: int
    """Slot of the input's gradient; -1: there is none."""
    weight_grads: tuple[int, ...]
    """Slots of the weights' gradients."""
    checkpointed: bool = False
    """Its forward runs again in the backward."""

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Slots that wait for the backward when the forward is done."""
        alive = {self.source: None}
        for slot, size in self.forward:
            if size:
                alive[slot] = None
            else:
                alive.pop(slot)
        return tuple(slot for slot in alive if slot != self.result)


def record_block(
    shape: ModelShape, setup: TrainingSetup, *, mixture: bool, checkpointed: bool, looks_back: int | None = None
) -> Piece:
    """Record one block, forward and backward.

    Args:
        shape: The model.
        setup: How it is trained.
        mixture: The block routes its tokens to experts.
        checkpointed: Activation checkpointing applies to this block.
        looks_back: Tokens that its attention looks back; None: all.
    """
    mode = Mode.KEEP
    if checkpointed:
        mode = Mode.SELECT if setup.ac == "selective_op" else Mode.DROP
    tape = Tape(mode, compiled=setup.compile)
    block = Block(tape, shape, setup, numerics(shape, setup), mixture, looks_back)
    source = tape.external(setup.residual_bytes * block.n_local * shape.hidden)
    kept_input = tape.hold(source) if checkpointed else None
    result = _forward(block, source)
    tape.drop(source)
    boundary = len(tape.events)
    if kept_input:
        tape.restart()
        source, again = kept_input, result
        result = _forward(block, source)
        result.slot, result.phantom = again.slot, True
    grad = tape.external(result.size)
    result.grad = grad
    tape.backward()
    tape.forget_kept()
    if kept_input:
        tape.drop(source)
    received = tape.take(source)
    return Piece(
        tape.events[:boundary],
        tape.events[boundary:],
        tape.slots,
        source.slot,
        result.slot,
        grad.slot,
        received.slot,
        tuple(piece.slot for piece in tape.weight_grads),
        checkpointed,
    )


def _forward(block: Block, x: Tensor) -> Tensor:
    tape, shape = block.tape, block.shape
    width, four = shape.hidden, shape.norms_per_block == 4
    normed = norm(tape, block.nums, x, block.n_local, width)
    mixed = attention(block, normed)
    if four:
        mixed = _normed(block, mixed)
    if shape.norms_per_block == 1:  # attention and feed-forward side by side (Phi-2)
        inner = feed_forward(block, normed)
        return add(tape, add(tape, tape.hold(x), mixed), inner, final=True)
    middle = add(tape, tape.hold(x), mixed)
    normed = norm(tape, block.nums, middle, block.n_local, width)
    inner = experts(block, normed) if block.mixture else feed_forward(block, normed, final=not four)
    tape.drop(normed)
    if four:
        inner = _normed(block, inner)
    return add(tape, middle, inner, final=True)


def _normed(block: Block, x: Tensor) -> Tensor:
    out = norm(block.tape, block.nums, x, block.n_local, block.shape.hidden)
    block.tape.drop(x)
    return out
