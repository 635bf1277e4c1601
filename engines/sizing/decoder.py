"""A decoder block as operations on a tape: attention, feed-forward or experts, residuals."""

from dataclasses import dataclass

from engines.sizing.operations import (
    Linear,
    Numerics,
    add,
    attend,
    gated,
    linear,
    multiply,
    norm,
    repeat,
    rotate_complex,
    rotate_half,
    unary,
)
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


@dataclass(frozen=True)
class Block:
    """What a block needs to know while it is recorded."""

    tape: Tape
    shape: ModelShape
    setup: TrainingSetup
    nums: Numerics
    mixture: bool

    @property
    def n(self) -> int:
        """Tokens of the rank."""
        return self.setup.tokens

    @property
    def n_local(self) -> int:
        """Tokens of the rank where the residual stream is split over tp (sequence parallel)."""
        return self.setup.tokens // self.setup.tp

    @property
    def e(self) -> int:
        """Bytes of an activation's element."""
        return self.nums.e

    def layer(self, name: str, rows: int, cols: int, *, bias: bool = False) -> Linear:
        """Return a projection as this run trains it."""
        setup = self.setup
        if not setup.lora_rank:
            return Linear(name, rows, cols, bias=bias)
        targeted = not setup.lora_targets or name in setup.lora_targets
        return Linear(
            name, rows, cols, trained=False, rank=setup.lora_rank * targeted, dequantized=setup.base_bits == 4
        )


def numerics(setup: TrainingSetup) -> Numerics:
    """Return how elementwise work is done in a run."""
    return Numerics(
        setup.act_bytes,
        fused=setup.compile,
        norm_fused=setup.norm_kernel == "fused",
        norm_trained=not setup.lora_rank,
        attention_kept=setup.attention_kept,
        abs_kept=setup.abs_kept and setup.float8 == "tensorwise" and not setup.compile,
    )


def record_block(shape: ModelShape, setup: TrainingSetup, *, mixture: bool, checkpointed: bool) -> Piece:
    """Record one block, forward and backward.

    Args:
        shape: The model.
        setup: How it is trained.
        mixture: The block routes its tokens to experts.
        checkpointed: Activation checkpointing applies to this block.
    """
    mode = Mode.KEEP
    if checkpointed:
        mode = Mode.SELECT if setup.ac == "selective_op" else Mode.DROP
    tape = Tape(mode, compiled=setup.compile)
    block = Block(tape, shape, setup, numerics(setup), mixture)
    source = tape.external(block.e * block.n_local * shape.hidden)
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
    )


def _forward(block: Block, x: Tensor) -> Tensor:
    tape, shape = block.tape, block.shape
    width, four = shape.hidden, shape.norms_per_block == 4
    normed = norm(tape, block.nums, x, block.n_local, width)
    mixed = _attention(block, normed)
    if four:
        mixed = _normed(block, mixed)
    if shape.norms_per_block == 1:  # attention and feed-forward side by side (Phi-2)
        inner = _feed_forward(block, normed)
        return add(tape, add(tape, tape.hold(x), mixed), inner, final=True)
    middle = add(tape, tape.hold(x), mixed)
    normed = norm(tape, block.nums, middle, block.n_local, width)
    inner = _experts(block, normed) if block.mixture else _feed_forward(block, normed, final=not four)
    tape.drop(normed)
    if four:
        inner = _normed(block, inner)
    return add(tape, middle, inner, final=True)


def _normed(block: Block, x: Tensor) -> Tensor:
    out = norm(block.tape, block.nums, x, block.n_local, block.shape.hidden)
    block.tape.drop(x)
    return out


def _gather(block: Block, x: Tensor) -> Tensor:
    """Gather the sequence over tp; the caller's reference is consumed."""
    if block.setup.tp == 1:
        return x
    tape, whole = block.tape, x.size * block.setup.tp
    tape.scratch(whole)  # gathered along the first dimension, then put in order
    out = tape.new(whole)

    def backward() -> None:
        grad = tape.take(out)
        tape.scratch(whole)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def _scatter(block: Block, name: str, x: Tensor, *, final: bool = False) -> Tensor:
    """Sum over tp and keep this rank's part of the sequence; consumes the reference."""
    if block.setup.tp == 1:
        return x
    tape, part = block.tape, x.size // block.setup.tp
    if not x.phantom:
        tape.scratch(x.size)
    out = tape.product(name, part, alternate=False, final=final)

    def backward() -> None:
        grad = tape.take(out)
        tape.scratch(x.size)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def _attention(block: Block, normed: Tensor) -> Tensor:
    """Return the attention's result; the caller's reference to `normed` is consumed."""
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    n, width = block.n, shape.hidden
    # A block with one norm gives the same tensor to its feed-forward part.
    whole = _gather(block, tape.hold(normed) if shape.norms_per_block == 1 else normed)
    if shape.latent:
        q, k, v = _latent_heads(block, whole)
    else:
        q, k, v = _heads(block, whole)
    tape.drop(whole)
    mixed = attend(tape, nums, (q, k, v), shape.heads // tp, n, block.e * n * shape.out_dim // tp)
    out = linear(tape, nums, block.layer("o_proj", width, shape.out_dim // tp, bias=shape.out_bias), mixed, n)
    tape.drop(mixed)
    return _scatter(block, "attention.sum", out)


def _heads(block: Block, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    n, width, bias = block.n, shape.hidden, shape.qkv_bias
    kv_dim = max(shape.kv_dim // tp, shape.head_dim)
    sizes = {"q_proj": shape.q_dim // tp, "k_proj": kv_dim, "v_proj": kv_dim}
    q, k, v = (linear(tape, nums, block.layer(name, rows, width, bias=bias), x, n) for name, rows in sizes.items())
    if shape.qk_norm:
        q, k = (_head_norm(block, piece) for piece in (q, k))
    complex_form = block.setup.model_code == "torchtitan"
    if complex_form:
        turned = rotate_complex(tape, nums, q, k)
    else:
        turned = rotate_half(tape, nums, q), rotate_half(tape, nums, k)
    tape.drop(q, k)
    times = turned[0].size // turned[1].size if complex_form else 1
    return turned[0], repeat(tape, turned[1], times), repeat(tape, v, times)


def _head_norm(block: Block, x: Tensor) -> Tensor:
    out = norm(block.tape, block.nums, x, x.size // block.e, 1)
    block.tape.drop(x)
    return out


def _latent_heads(block: Block, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values from the latents (DeepSeek)."""
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    latent, n, width = shape.latent, block.n, shape.hidden
    assert latent is not None
    heads = shape.heads // tp
    if latent.q_rank:
        low = linear(tape, nums, block.layer("q_a_proj", latent.q_rank, width), x, n)
        normed = norm(tape, nums, low, n, latent.q_rank)
        tape.drop(low)
        q = linear(tape, nums, block.layer("q_b_proj", shape.q_dim // tp, latent.q_rank), normed, n)
        tape.drop(normed)
    else:
        q = linear(tape, nums, block.layer("q_proj", shape.q_dim // tp, width), x, n)
    low = linear(tape, nums, block.layer("kv_a_proj", latent.kv_rank + latent.rope_dim, width), x, n)
    normed = norm(tape, nums, low, n, latent.kv_rank)
    tape.drop(low)
    expanded = heads * (latent.nope_dim + latent.v_dim)
    kv = linear(tape, nums, block.layer("kv_b_proj", expanded, latent.kv_rank), normed, n)
    tape.drop(normed)
    q_turned = unary(tape, q, saves=False)  # rotated part joined to the part without position
    k = _part(block, kv, block.e * n * heads * (latent.nope_dim + latent.rope_dim))
    v = _part(block, kv, block.e * n * heads * latent.v_dim)
    tape.drop(q, kv)
    return q_turned, k, v


def _part(block: Block, x: Tensor, size: int) -> Tensor:
    """Copy a part of a tensor into one of its own."""
    tape = block.tape
    out = tape.new(size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    return out


def _feed_forward(block: Block, normed: Tensor, *, final: bool = False) -> Tensor:
    """Return the dense feed-forward's result; the caller keeps its reference."""
    tape, shape = block.tape, block.shape
    whole = _gather(block, tape.hold(normed))
    out = _perceptron(block, whole, block.n, shape.ffn // block.setup.tp, "", final=final)
    tape.drop(whole)
    return _scatter(block, "ffn.sum", out, final=final)


def _perceptron(block: Block, x: Tensor, n: int, inner: int, prefix: str, *, final: bool = False) -> Tensor:
    tape, shape, nums, bias = block.tape, block.shape, block.nums, block.shape.mlp_bias
    width = shape.hidden
    if not shape.gated:
        up = linear(tape, nums, block.layer(f"{prefix}up_proj", inner, width, bias=bias), x, n)
        active = unary(tape, up)
        tape.drop(up)
    elif nums.fused:
        gate = linear(tape, nums, block.layer(f"{prefix}gate_proj", inner, width, bias=bias), x, n)
        up = linear(tape, nums, block.layer(f"{prefix}up_proj", inner, width, bias=bias), x, n)
        active = gated(tape, nums, gate, up)
    else:
        gate = linear(tape, nums, block.layer(f"{prefix}gate_proj", inner, width, bias=bias), x, n)
        opened = unary(tape, gate)
        tape.drop(gate)
        up = linear(tape, nums, block.layer(f"{prefix}up_proj", inner, width, bias=bias), x, n)
        active = multiply(tape, opened, up)
    out = linear(tape, nums, block.layer(f"{prefix}down_proj", width, inner, bias=bias), active, n, final=final)
    tape.drop(active)
    return out


def _experts(block: Block, normed: Tensor) -> Tensor:
    """Return the experts' result: tokens are copied in front of them and weighted behind."""
    tape, shape, experts = block.tape, block.shape, block.shape.experts
    assert experts is not None
    n, wide = block.n, shape.hidden
    routed = n * experts.per_token
    whole = _gather(block, tape.hold(normed))
    tape.scratch(4 * n * experts.count)  # router probabilities in fp32
    copied = _part(block, whole, block.e * routed * wide)
    inner = _perceptron(block, copied, routed, experts.ffn // block.setup.tp, "experts.")
    tape.drop(copied)
    weighted = unary(tape, inner)
    tape.drop(inner)
    out = _part(block, weighted, block.e * n * wide)
    tape.drop(weighted)
    if experts.shared_ffn:
        shared = _perceptron(block, whole, n, experts.shared_ffn // block.setup.tp, "shared.")
        out = add(tape, out, shared)
    tape.drop(whole)
    return _scatter(block, "ffn.sum", out)
