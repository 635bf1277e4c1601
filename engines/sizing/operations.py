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
    norm_wide: bool = False
    """The norm multiplies by its weight in fp32, before it casts back."""
    norm_trained: bool = True
    """The norm's weight gets a gradient."""
    norm_python: bool = False
    """The separate operations are written in Python, where a name that is set anew lets go of its tensor."""
    autocast: bool = False
    """Each matrix product casts its wide input and its fp32 weight."""
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
    copies: int = 1
    """Matrices of this size that are multiplied as one group (experts)."""


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
    e, weight = nums.e, nums.e * layer.rows * layer.cols * layer.copies
    given, x = x, narrowed(tape, nums, x, n * layer.cols)
    cast = tape.new(weight) if nums.autocast else None
    if nums.abs_kept:
        for part, size in (("input", x.size), ("weight", weight)):
            tape.drop(tape.product(f"{layer.name}.{part}.abs", size, alternate=False))
    expanded = tape.new(weight) if layer.dequantized else None
    # a selective policy counts single products; it does not know grouped ones
    single = layer.copies == 1
    result, last = e * n * layer.rows, final and not layer.rank
    out = tape.product(layer.name, result, alternate=single, kept=single, final=last)
    if expanded:
        tape.drop(expanded)
    saved = (*(tape.save(x) if layer.trained else ()), *(tape.save(cast) if cast else ()))
    if cast:
        tape.drop(cast)

    def input_grad() -> None:
        if x.needs_grad:
            again = tape.new(weight) if layer.dequantized else None
            tape.give(x, tape.new(e * n * layer.cols))
            if again:
                tape.drop(again)

    def backward() -> None:
        grad = tape.take(out)
        # derivatives are computed in the order of their arguments' names: mm's weight, addmm's input first
        if layer.bias:
            input_grad()
        if layer.trained:
            tape.weight_grads.append(_weight_grad(tape, nums, weight))
            if layer.bias:
                tape.weight_grads.append(tape.new(e * layer.rows))
        if not layer.bias:
            input_grad()
        tape.drop(grad, *saved)

    tape.node(backward)
    tape.drop(x)
    return adapter(tape, nums, layer, given, out, n) if layer.rank else out


def narrowed(tape: Tape, nums: Numerics, x: Tensor, elements: int) -> Tensor:
    """Return x in the compute dtype, as autocast takes it; holds a reference, to x itself where it is narrow."""
    if not nums.autocast or x.size <= nums.e * elements:
        return tape.hold(x)
    out = tape.new(nums.e * elements)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    return out


def _weight_grad(tape: Tape, nums: Numerics, weight: int) -> Tensor:
    """Compute a weight's gradient; autocast casts it back."""
    grad = tape.new(weight)
    if not nums.autocast:
        return grad
    wide = tape.new(weight * 4 // nums.e)
    tape.drop(grad)
    return wide


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
    saved = tape.save(x, y)
    out = tape.over(x.size, y, x)

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


def fused_gate(tape: Tape, both: Tensor) -> Tensor:
    """Return activation(gate) * up for the two halves of one tensor; consumes the reference."""
    half = both.size // 2
    active, out = tape.new(half), tape.new(half)
    saved = tape.save(both, active)
    tape.drop(active)

    def backward() -> None:
        grad = tape.take(out)
        halves = [tape.new(half), tape.new(half)]
        tape.drop(grad, *saved)
        joined = tape.new(both.size)
        tape.drop(*halves)
        tape.give(both, joined)

    tape.node(backward)
    tape.drop(both)
    return out


def stepwise_gelu(tape: Tape, x: Tensor) -> Tensor:
    """Apply the tanh form of GELU as separate operations; the caller keeps its reference."""
    kept = [tape.new(x.size) for _ in range(3)]  # tanh, 1 + tanh, x / 2
    tape.scratch(x.size, x.size)
    out = tape.new(x.size)
    saved = tape.save(x, *kept)
    tape.drop(*kept)

    def backward() -> None:
        grad = tape.take(out)
        total = tape.new(x.size)
        tape.scratch(x.size, x.size)
        tape.give(x, total)
        tape.drop(grad, *saved)

    tape.node(backward)
    return out


def add(tape: Tape, x: Tensor, y: Tensor, *, final: bool = False) -> Tensor:
    """Add two tensors; the caller's references to both are consumed."""
    size = max(x.size, y.size)
    out = tape.final(size) if final else tape.over(size, y)

    def backward() -> None:
        grad = tape.take(out)
        for part in (x, y):
            # autocast: a wide residual and a narrow branch
            tape.give(part, tape.new(part.size) if part.size < size else tape.hold(grad))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x, y)
    return out
