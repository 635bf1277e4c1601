"""The dense feed-forward part of a decoder block."""

from engines.sizing.block import Block, gather, scatter
from engines.sizing.operations import fused_gate, gated, linear, multiply, stepwise_gelu, unary
from engines.sizing.tape import Tensor


def feed_forward(block: Block, normed: Tensor, *, final: bool = False) -> Tensor:
    """Return the dense feed-forward's result; the caller keeps its reference."""
    tape, shape = block.tape, block.shape
    whole = gather(block, tape.hold(normed))
    out = perceptron(block, whole, block.n, shape.ffn // block.setup.tp, "", final=final)
    tape.drop(whole)
    return scatter(block, "ffn.sum", out, final=final)


def perceptron(block: Block, x: Tensor, n: int, inner: int, prefix: str, *, final: bool = False) -> Tensor:
    """Return the result of two or three matrices for n tokens; the caller keeps its reference.

    Args:
        block: Where it is recorded.
        x: Its input.
        n: Tokens.
        inner: Width between the matrices.
        prefix: Of the matrices' names: experts' and shared ones are apart from the dense ones.
        final: Nothing after it in its block needs its result in the backward.
    """
    tape, shape, nums, bias = block.tape, block.shape, block.nums, block.shape.mlp_bias
    width = shape.hidden
    if not shape.gated:
        up = linear(tape, nums, block.layer(f"{prefix}up_proj", inner, width, bias=bias), x, n)
        active = stepwise_gelu(tape, up) if shape.stepwise_gelu and not nums.fused else unary(tape, up)
        tape.drop(up)
    elif shape.fused_projections and not prefix:
        both = linear(tape, nums, block.layer("gate_up_proj", 2 * inner, width, bias=bias), x, n)
        active = fused_gate(tape, both)
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
