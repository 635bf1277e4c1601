"""The feed-forward part of a decoder block: dense, or routed to experts."""

from engines.sizing.block import Block, copy_part, gather, scatter
from engines.sizing.operations import add, fused_gate, gated, linear, multiply, stepwise_gelu, unary
from engines.sizing.tape import Tensor


def feed_forward(block: Block, normed: Tensor, *, final: bool = False) -> Tensor:
    """Return the dense feed-forward's result; the caller keeps its reference."""
    tape, shape = block.tape, block.shape
    whole = gather(block, tape.hold(normed))
    out = _perceptron(block, whole, block.n, shape.ffn // block.setup.tp, "", final=final)
    tape.drop(whole)
    return scatter(block, "ffn.sum", out, final=final)


def _perceptron(block: Block, x: Tensor, n: int, inner: int, prefix: str, *, final: bool = False) -> Tensor:
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


def _route(block: Block, x: Tensor) -> None:
    """Choose each token's experts; the probabilities and the choice are kept."""
    tape, experts, n = block.tape, block.shape.experts, block.n
    assert experts is not None
    wide = tape.new(4 * n * block.shape.hidden) if block.shape.router_wide and block.e < 4 else tape.hold(x)
    chances = tape.new(4 * n * experts.count)
    # chosen experts, their order and its inverse: 64-bit indices
    choice = tape.new(4 * 8 * n * experts.per_token)
    saved = tape.save(wide, chances, choice)
    tape.drop(wide, chances, choice)

    def backward() -> None:
        tape.scratch(4 * n * experts.count, x.size)
        tape.weight_grads.append(tape.new(block.e * experts.count * block.shape.hidden))
        tape.drop(*saved)

    tape.node(backward)


def experts(block: Block, normed: Tensor) -> Tensor:
    """Return the experts' result: tokens are copied in front of them and weighted behind."""
    tape, shape, experts = block.tape, block.shape, block.shape.experts
    assert experts is not None
    n, wide = block.n, shape.hidden
    routed = n * experts.per_token
    whole = gather(block, tape.hold(normed))
    _route(block, whole)
    copied = copy_part(block, whole, block.e * routed * wide)
    inner = _perceptron(block, copied, routed, experts.ffn // block.setup.tp, "experts.")
    tape.drop(copied)
    weighted = unary(tape, inner)
    tape.drop(inner)
    out = copy_part(block, weighted, block.e * n * wide)
    tape.drop(weighted)
    if experts.shared_ffn:
        shared = _perceptron(block, whole, n, experts.shared_ffn // block.setup.tp, "shared.")
        if experts.shared_gate:
            opened = unary(tape, shared)
            tape.drop(shared)
            shared = opened
        out = add(tape, out, shared)
    tape.drop(whole)
    return scatter(block, "ffn.sum", out)
