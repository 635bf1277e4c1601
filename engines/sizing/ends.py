"""The end of the model on a tape: final norm, output head and loss."""

from dataclasses import dataclass, replace

from engines.sizing.attention import repeat
from engines.sizing.block import numerics
from engines.sizing.chunked_head import record_pieces
from engines.sizing.decoder import Piece
from engines.sizing.norms import norm
from engines.sizing.operations import Linear, linear
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Tape, Tensor


@dataclass(frozen=True)
class HeadPiece:
    """Final norm, head and loss; `grad_in` of the piece is not used."""

    piece: Piece
    """The recorded programs."""
    loss_starts: int
    """Event of the forward at which the model has returned and the loss begins."""
    loss_ends: int
    """Event of the backward at which the gradient reaches what the model returned."""


class _HeadTape(Tape):
    """A tape that remembers where its backward reaches the model's result."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = 0

    def reach(self) -> None:
        """Remember this place in the events."""
        self.reached = len(self.events)


def record_head(shape: ModelShape, setup: TrainingSetup) -> HeadPiece:
    """Record final norm, head and loss, forward and backward."""
    tape, nums = _HeadTape(), numerics(shape, setup)
    n, tokens = setup.tokens // setup.tp, setup.tokens
    source = tape.external(setup.residual_bytes * n * shape.hidden)
    # Only the blocks are compiled; the final norm runs as it is written.
    plain = replace(nums, fused=False)
    normed = norm(tape, plain, source, n, shape.hidden)
    tape.drop(source)
    head = Linear("head", shape.vocab // setup.tp, shape.hidden, trained=not setup.lora_rank)
    whole_logits = setup.tp > 1 and not setup.splits_loss
    starts: int | None = None
    result: Tensor | None = None
    if setup.loss_impl in ("fused_linear", "chunked_head"):
        starts = len(tape.events)
        if setup.loss_impl == "fused_linear":
            _fused_linear_loss(tape, setup, head, normed)
        else:
            record_pieces(tape, setup, head, normed, tape.reach)
    else:
        result = linear(tape, nums, head, normed, tokens)
        tape.drop(normed)
        if whole_logits:
            result = _gathered(tape, result, setup.tp)
        if shape.logit_softcap:
            result = _capped(tape, result)
        if setup.loss_impl == "fp32_in_model":
            result = _cast(tape, result, reach=False)
        starts = len(tape.events)
        _loss(tape, setup, result)
        if not setup.logits_kept:
            tape.drop(result)
            result = None
    boundary = len(tape.events)
    tape.backward()
    if result is not None:
        tape.drop(result)
    received = tape.take(source)
    grads = tuple(grad.slot for grad in tape.weight_grads)
    programs = tape.events[:boundary], tape.events[boundary:]
    piece = Piece(*programs, tape.slots, source.slot, -1, -1, received.slot, grads)
    return HeadPiece(piece, starts, max(0, tape.reached - boundary))


def _gathered(tape: Tape, x: Tensor, parts: int) -> Tensor:
    """Gather logits over the vocabulary; consumes the reference."""
    tape.scratch(x.size * parts)  # gathered along the first dimension, then put in order
    return repeat(tape, x, parts)


def _capped(tape: _HeadTape, x: Tensor) -> Tensor:
    """Put logits through a soft cap, cap * tanh(x / cap); consumes the reference."""
    divided = tape.new(x.size)
    tape.drop(x)
    bent = tape.new(x.size)
    tape.drop(divided)
    saved = tape.save(bent)
    out = tape.new(x.size)
    tape.drop(bent)

    def backward() -> None:
        grad = tape.take(out)
        through = tape.new(x.size)
        tape.drop(grad)
        unbent = tape.new(x.size)
        tape.drop(through, *saved)
        tape.give(x, tape.new(x.size))
        tape.drop(unbent)

    tape.node(backward)
    return out


def _loss(tape: _HeadTape, setup: TrainingSetup, logits: Tensor) -> None:
    """Record the loss of what the model returned; the caller keeps its reference."""
    kind = setup.loss_impl
    cross_entropy = _parallel_cross_entropy if setup.splits_loss else _cross_entropy
    if kind == "compiled":
        _compiled_loss(tape, logits)
    elif kind == "chunked":
        _chunked_loss(tape, logits, logits.size * 4 // setup.act_bytes, setup.loss_chunks)
    elif kind == "fp32_copy" and setup.act_bytes < 4:
        cast = _cast(tape, tape.hold(logits), reach=True)
        if setup.shifted_copy:
            cast = _copied(tape, cast)
        cross_entropy(tape, cast, reach=False)
    else:
        shifted = _copied(tape, tape.hold(logits)) if setup.shifted_copy else tape.hold(logits)
        cross_entropy(tape, shifted, reach=True)


def _cast(tape: _HeadTape, x: Tensor, *, reach: bool) -> Tensor:
    """Cast bf16 to fp32; consumes the reference."""
    out = tape.new(2 * x.size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)
        if reach:
            tape.reach()

    tape.node(backward)
    tape.drop(x)
    return out


def _copied(tape: _HeadTape, x: Tensor) -> Tensor:
    """Copy the logits without their last position; consumes the reference."""
    out = tape.new(x.size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))  # padded with zeros again
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def _cross_entropy(tape: _HeadTape, x: Tensor, *, reach: bool) -> None:
    """Take log-softmax and the labels' entries; consumes the reference."""
    logs = tape.new(x.size)
    saved = tape.save(logs)
    tape.drop(logs)

    def backward() -> None:
        picked, through = tape.new(x.size), tape.new(x.size)
        tape.drop(picked, *saved)
        tape.give(x, through)
        if reach:
            tape.reach()

    tape.node(backward)
    tape.drop(x)


def _parallel_cross_entropy(tape: _HeadTape, x: Tensor, *, reach: bool) -> None:
    """Take the loss of logits that are split over tp by vocabulary; consumes the reference.

    torch/distributed/tensor/parallel/loss.py (loss_parallel): the kernels of the plain loss are
    replaced by separate operations, and the softmax's backward is done within that of the loss.
    """
    shifted = tape.new(x.size)
    tape.scratch(x.size)  # exponentials, summed
    logs = tape.new(x.size)
    tape.drop(shifted)
    saved = tape.save(logs)
    tape.drop(logs)

    def backward() -> None:
        picked, chances = tape.new(x.size), tape.new(x.size)
        both = tape.new(x.size)
        tape.drop(chances)
        through = tape.new(x.size)
        tape.drop(both, picked, *saved)
        tape.give(x, through)
        if reach:
            tape.reach()

    tape.node(backward)
    tape.drop(x)


def _compiled_loss(tape: _HeadTape, logits: Tensor) -> None:
    """Record a loss that reads the logits again in its backward and writes their gradient."""
    saved = tape.save(logits)

    def backward() -> None:
        tape.give(logits, tape.new(logits.size))
        tape.drop(*saved)
        tape.reach()

    tape.node(backward)


def _chunked_loss(tape: _HeadTape, logits: Tensor, wide: int, pieces: int) -> None:
    """Record a loss that casts and reduces the logits in pieces."""
    parts: list[Tensor] = []

    def joined() -> None:
        grad = tape.new(logits.size)
        tape.drop(*parts)
        tape.give(logits, grad)
        tape.reach()

    tape.node(joined)
    for _ in range(pieces):
        cast = tape.new(wide // pieces)
        logs = tape.new(wide // pieces)
        saved = tape.save(logs)
        tape.drop(cast, logs)

        def backward(saved: tuple[Tensor, ...] = saved) -> None:
            picked, through = tape.new(wide // pieces), tape.new(wide // pieces)
            tape.drop(picked, *saved)
            parts.append(tape.new(logits.size // pieces))
            tape.drop(through)

        tape.node(backward)


def _fused_linear_loss(tape: _HeadTape, setup: TrainingSetup, head: Linear, x: Tensor) -> None:
    """Record head and loss in pieces that never hold all logits; consumes the reference.

    Each piece computes its logits, its loss and its gradients at once; what outlives it is
    the gradient of the hidden states and of the head's weight.
    """
    e, pieces = setup.act_bytes, setup.loss_chunks
    logits = e * setup.tokens * head.rows // pieces
    wide = logits * 4 // e
    grad = tape.new(x.size)
    weight = tape.new(e * head.rows * head.cols) if head.trained else None
    for _ in range(pieces):
        piece = tape.new(logits)
        tape.scratch(wide, wide, wide)
        tape.drop(piece)
        if weight:
            tape.scratch(weight.size)
    if weight:
        tape.weight_grads.append(weight)

    def backward() -> None:
        tape.give(x, grad)
        tape.reach()

    tape.node(backward)
    tape.drop(x)
