"""The experts of a decoder block on a tape: tokens are sorted to them, multiplied in groups, weighted and summed.

As transformers does it on a GPU (`integrations/moe.py`, grouped_mm_experts_forward): one
copy of each token for each of its experts, one grouped product for gate and up and one
for down, the results weighted in the dtype of the router's weights. A fake-tensor run of
each family (tests) has the same allocations.
"""

from engines.sizing.block import Block, gather, scatter
from engines.sizing.feed_forward import perceptron
from engines.sizing.operations import Linear, Numerics, add, fused_gate, linear, unary
from engines.sizing.tape import Tape, Tensor


def experts(block: Block, normed: Tensor) -> Tensor:
    """Return the experts' result; the caller keeps its reference."""
    tape, experts = block.tape, block.shape.experts
    assert experts is not None
    whole = gather(block, tape.hold(normed))
    _route(block, whole)
    out = _routed(block, whole)
    if experts.shared_ffn:
        shared = perceptron(block, whole, block.n, experts.shared_ffn // block.setup.tp, "shared.")
        if experts.shared_gate:
            opened = unary(tape, shared)
            tape.drop(shared)
            shared = opened
        out = add(tape, out, shared)
    tape.drop(whole)
    return scatter(block, "ffn.sum", out)


def _route(block: Block, x: Tensor) -> None:
    """Choose each token's experts; the probabilities and the choice are kept."""
    tape, experts, n = block.tape, block.shape.experts, block.n
    assert experts is not None
    wide = tape.new(4 * n * block.shape.hidden) if block.shape.router_wide and block.e < 4 else tape.hold(x)
    tape.drop(tape.product("router", block.e * n * experts.count))
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


def _routed(block: Block, x: Tensor) -> Tensor:
    """Return the weighted sum of the routed experts' results; the caller keeps its reference."""
    tape, nums, shape, experts = block.tape, block.nums, block.shape, block.shape.experts
    assert experts is not None
    tokens, width, inner = block.n * experts.per_token, shape.hidden, experts.ffn // block.setup.tp
    copied = _sorted_copies(block, x, tokens)
    both = linear(tape, nums, _matrices(block, "experts.gate_up", 2 * inner, width), copied, tokens)
    tape.drop(copied)
    product = _fused(tape, both) if nums.fused else fused_gate(tape, both)
    result = linear(tape, nums, _matrices(block, "experts.down", width, inner), product, tokens)
    tape.drop(product)
    return _weighted(tape, nums, result, block.e * block.n * width, wide=experts.weights_wide)


def _matrices(block: Block, name: str, rows: int, cols: int) -> Linear:
    experts = block.shape.experts
    assert experts is not None
    return block.layer(name, rows, cols, copies=experts.count // block.setup.ep)


def _sorted_copies(block: Block, x: Tensor, tokens: int) -> Tensor:
    """Copy each token to its experts; the gradients are added up in a tensor that begins as zeros."""
    tape = block.tape
    out = tape.new(block.e * tokens * block.shape.hidden)

    def backward() -> None:
        grad = tape.take(out)
        zeros = tape.new(x.size)
        total = tape.new(x.size)
        tape.drop(zeros, grad)
        tape.give(x, total)

    tape.node(backward)
    return out


def _fused(tape: Tape, both: Tensor) -> Tensor:
    """Return activation(gate) * up as a compiler writes it; consumes the reference."""
    out = tape.new(both.size // 2)
    saved = tape.save(both)

    def backward() -> None:
        grad = tape.take(out)
        joined = tape.new(both.size)
        tape.drop(grad, *saved)
        tape.give(both, joined)

    tape.node(backward)
    tape.drop(both)
    return out


def _weighted(tape: Tape, nums: Numerics, x: Tensor, size: int, *, wide: bool) -> Tensor:
    """Weight the results, bring them into the tokens' order and sum them; consumes the reference.

    Args:
        tape: Where it is recorded.
        nums: How elementwise work is done.
        x: A result for each token and expert.
        size: Bytes of the sum.
        wide: The weights are fp32, and so is what is multiplied with them.
    """
    cast = wide and nums.e < 4
    factor = 4 // nums.e if cast else 1
    weighted = tape.new(factor * x.size)
    saved = tape.save(x)
    ordered = tape.new(weighted.size)
    tape.drop(weighted)
    total = tape.new(factor * size)
    out = tape.new(size) if cast else tape.hold(total)
    tape.drop(ordered, total)

    def backward() -> None:
        grad = tape.take(out)
        if cast:
            widened = tape.new(factor * size)
            tape.drop(grad)
            grad = widened
        spread = tape.new(weighted.size)
        tape.drop(grad)
        zeros, back = tape.new(weighted.size), tape.new(weighted.size)
        tape.drop(zeros, spread)
        through = tape.new(weighted.size)
        tape.scratch(weighted.size)  # grad * x, summed into the weights' gradient
        narrow = tape.new(x.size) if cast else tape.hold(through)
        tape.drop(through, back, *saved)
        tape.give(x, narrow)

    tape.node(backward)
    tape.drop(x)
    return out
