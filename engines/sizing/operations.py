"""The operations of a decoder, each with what it allocates forward and backward.

Sizes follow ATen's kernels and autograd formulas: what is cast, what is temporary, what a
node saves. `n` is a number of tokens; widths are in elements; `e` bytes per element.
"""

from dataclasses import dataclass, replace

from engines.sizing.tape import Tape, Tensor


@dataclass(frozen=True)
class Numerics:
    """How elementwise work is done."""

    e: int = 2
    """Bytes of an activation's element."""
    fused: bool = False
    """torch.compile fuses elementwise work into the neighbouring results."""
    norm_fused: bool = False
    """The norm is one kernel that saves its input."""
    norm_trained: bool = True
    """The norm's weight gets a gradient."""
    attention_kept: bool = True
    """A selective policy keeps the attention's result."""
    abs_kept: bool = False
    """A selective policy keeps the absolute values that float8 casts take."""


@dataclass(frozen=True)
class Linear:
    """One projection."""

    name: str
    rows: int
    """Output width."""
    cols: int
    """Input width."""
    trained: bool = True
    """Whether its weight gets a gradient."""
    rank: int = 0
    """Rank of an adapter beside it; 0: none."""
    bias: bool = False
    """A trained bias."""
    dequantized: bool = False
    """The weight is stored in 4 bits and expanded for each use."""


def linear(tape: Tape, nums: Numerics, layer: Linear, x: Tensor, n: int, *, final: bool = False) -> Tensor:
    """Multiply n tokens by a weight (and add an adapter's result).

    Args:
        tape: Where it is recorded.
        nums: How elementwise work is done.
        layer: The projection.
        x: Its input; the caller keeps its reference.
        n: Tokens.
        final: Nothing after it in its block needs its result in the backward.
    """
    e, weight = nums.e, nums.e * layer.rows * layer.cols
    if nums.abs_kept:
        for part, size in (("input", x.size), ("weight", weight)):
            tape.drop(tape.product(f"{layer.name}.{part}.abs", size, alternate=False))
    expanded = tape.new(weight) if layer.dequantized else None
    out = tape.product(layer.name, e * n * layer.rows, final=final and not layer.rank)
    if expanded:
        tape.drop(expanded)
    saved = tape.save(x) if layer.trained else ()

    def backward() -> None:
        grad = tape.take(out)
        if x.needs_grad:
            again = tape.new(weight) if layer.dequantized else None
            tape.give(x, tape.new(e * n * layer.cols))
            if again:
                tape.drop(again)
        if layer.trained:
            tape.weight_grads.append(tape.new(weight))
            if layer.bias:
                tape.weight_grads.append(tape.new(e * layer.rows))
        tape.drop(grad, *saved)

    tape.node(backward)
    return adapter(tape, nums, layer, x, out, n) if layer.rank else out


def adapter(tape: Tape, nums: Numerics, layer: Linear, x: Tensor, base: Tensor, n: int) -> Tensor:
    """Add a low-rank adapter's result: base + scale * B(A(x))."""
    plain = replace(layer, trained=True, rank=0, bias=False, dequantized=False)
    down = replace(plain, name=f"{layer.name}.lora_a", rows=layer.rank)
    up = replace(plain, name=f"{layer.name}.lora_b", cols=layer.rank)
    low = linear(tape, nums, down, x, n)
    high = linear(tape, nums, up, low, n)
    tape.drop(low)
    scaled = unary(tape, high, saves=False)
    tape.drop(high)
    return add(tape, base, scaled)


def unary(tape: Tape, x: Tensor, *, saves: bool = True) -> Tensor:
    """Apply an elementwise function whose backward needs its input (or nothing)."""
    out = tape.new(x.size)
    saved = tape.save(x) if saves else ()

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad, *saved)

    tape.node(backward)
    return out


def multiply(tape: Tape, x: Tensor, y: Tensor) -> Tensor:
    """Multiply two tensors; the caller's references to both are consumed."""
    out = tape.new(x.size)
    saved = tape.save(x, y)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.give(y, tape.new(y.size))
        tape.drop(grad, *saved)

    tape.node(backward)
    tape.drop(x, y)
    return out


def gated(tape: Tape, nums: Numerics, gate: Tensor, up: Tensor) -> Tensor:
    """Return activation(gate) * up; the caller's references to both are consumed."""
    if not nums.fused:
        active = unary(tape, gate)
        tape.drop(gate)
        return multiply(tape, active, up)
    return multiply(tape, gate, up)


def add(tape: Tape, x: Tensor, y: Tensor, *, final: bool = False) -> Tensor:
    """Add two tensors; the caller's references to both are consumed."""
    out = tape.final(x.size) if final else tape.new(x.size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.hold(grad))
        tape.give(y, grad)

    tape.node(backward)
    tape.drop(x, y)
    return out


def norm(tape: Tape, nums: Numerics, x: Tensor, n: int, width: int) -> Tensor:
    """Normalise n vectors; the caller keeps its reference to x."""
    if nums.norm_fused or nums.fused:
        return _fused_norm(tape, nums, x, n, width)
    e, wide = nums.e, 4 * n * width
    cast = tape.new(wide) if e < 4 else tape.hold(x)
    tape.scratch(wide)  # the squares
    scaled = tape.new(wide)
    narrow = tape.new(e * n * width) if e < 4 else tape.hold(scaled)
    tape.drop(scaled)
    out = tape.new(e * n * width)
    saved = tape.save(cast)
    scaled_by = tape.save(narrow) if nums.norm_trained else ()
    tape.drop(cast, narrow)

    def backward() -> None:
        grad = tape.take(out)
        before_scale = tape.new(e * n * width)
        if nums.norm_trained:
            tape.scratch(e * n * width)  # grad * narrow, summed into the weight's gradient
            tape.weight_grads.append(tape.new(e * width))
        tape.drop(grad, *scaled_by)
        wide_grad = tape.new(wide) if e < 4 else tape.hold(before_scale)
        tape.drop(before_scale)
        through = tape.new(wide)
        tape.scratch(wide)  # the reciprocal root's gradient before it is summed
        tape.drop(wide_grad)
        squares = tape.new(wide)  # the power's gradient: x, 2x, 2x * grad
        tape.scratch(wide)
        tape.drop(squares, saved[0])
        tape.give(x, tape.new(e * n * width) if e < 4 else tape.hold(through))
        tape.drop(through)

    tape.node(backward)
    return out


def _fused_norm(tape: Tape, nums: Numerics, x: Tensor, n: int, width: int) -> Tensor:
    out = tape.new(nums.e * n * width)
    saved = tape.save(x)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(nums.e * n * width))
        if nums.norm_trained:
            tape.weight_grads.append(tape.new(nums.e * width))
        tape.drop(grad, *saved)

    tape.node(backward)
    return out


def rotate_complex(tape: Tape, nums: Numerics, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Rotate queries and keys as complex fp32 numbers (torchtitan)."""
    if nums.fused:
        return _rotated(tape, nums, q), _rotated(tape, nums, k)
    wide = 4 // nums.e
    casts = [tape.new(wide * x.size) for x in (q, k)] if nums.e < 4 else []
    turned = [tape.new(wide * x.size) for x in (q, k)]
    pair = _rotated(tape, nums, q), _rotated(tape, nums, k)
    tape.drop(*casts, *turned)
    return pair


def _rotated(tape: Tape, nums: Numerics, x: Tensor) -> Tensor:
    out = tape.new(x.size)
    wide = x.size * 4 // nums.e

    def backward() -> None:
        grad = tape.take(out)
        if nums.fused:
            tape.give(x, tape.new(x.size))
            tape.drop(grad)
            return
        cast = tape.new(wide)
        tape.drop(grad)
        turned = tape.new(wide)
        tape.drop(cast)
        tape.give(x, tape.new(x.size))
        tape.drop(turned)

    tape.node(backward)
    return out


def rotate_half(tape: Tape, nums: Numerics, x: Tensor) -> Tensor:
    """Rotate queries or keys by halves, in the activation's dtype (transformers)."""
    if nums.fused:
        return _rotated(tape, nums, x)
    straight, swapped = tape.new(x.size), tape.new(x.size)
    crossed = tape.new(x.size)
    tape.drop(swapped)
    out = tape.new(x.size)
    tape.drop(straight, crossed)

    def backward() -> None:
        grad = tape.take(out)
        crossed_grad, straight_grad = tape.new(x.size), tape.new(x.size)
        tape.drop(grad)
        tape.scratch(x.size, x.size)  # each half's gradient, padded to the whole
        tape.drop(crossed_grad)
        tape.give(x, straight_grad)

    tape.node(backward)
    return out


def repeat(tape: Tape, x: Tensor, times: int) -> Tensor:
    """Repeat keys or values for each query head; the caller's reference is consumed."""
    if times == 1:
        return x
    out = tape.new(x.size * times)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def attend(tape: Tape, nums: Numerics, qkv: tuple[Tensor, Tensor, Tensor], heads: int, n: int, size: int) -> Tensor:
    """Run flash attention; the caller's references to queries, keys and values are consumed.

    Args:
        tape: Where it is recorded.
        nums: How elementwise work is done.
        qkv: Queries, keys and values.
        heads: Query heads of this rank.
        n: Tokens.
        size: Bytes of the result.
    """
    q, k, v = qkv
    out = tape.product("attention", size, alternate=False, kept=nums.attention_kept)
    sums = tape.product("attention.sums", 4 * heads * n, alternate=False, kept=nums.attention_kept)
    saved = tape.save(q, k, v, out, sums)
    tape.drop(sums)

    def backward() -> None:
        grad = tape.take(out)
        grads = [tape.new(x.size) for x in (q, k, v)]
        # The kernel sums the queries' gradient in fp32, and the rows' products.
        tape.scratch(q.size * 4 // nums.e, 4 * heads * n)
        if k.size < q.size:
            tape.scratch(q.size, q.size)  # keys' and values' gradients for each query head
        for x, piece in zip((q, k, v), grads, strict=True):
            tape.give(x, piece)
        tape.drop(grad, *saved)

    tape.node(backward)
    tape.drop(q, k, v)
    return out
