"""Attention on a tape: rotary embedding, grouped heads, and the product itself."""

from engines.sizing.operations import Numerics
from engines.sizing.tape import Tape, Tensor


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
    out = tape.over(x.size, x)
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
    straight = tape.new(x.size)
    half = tape.new(x.size // 2)  # the negative half
    swapped = tape.new(x.size)
    tape.drop(half)
    crossed = tape.new(x.size)
    tape.drop(swapped)
    out = tape.new(x.size)
    tape.drop(straight, crossed)

    def backward() -> None:
        grad = tape.take(out)
        crossed_grad = tape.new(x.size)
        half = tape.new(x.size // 2)
        padded = tape.new(x.size)  # each half's gradient, padded to the whole
        tape.drop(half)
        tape.scratch(x.size)  # the other one, added in place
        tape.drop(crossed_grad)
        straight_grad = tape.new(x.size)
        tape.drop(grad, straight_grad)
        tape.give(x, padded)

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


def attend(
    tape: Tape, nums: Numerics, qkv: tuple[Tensor, Tensor, Tensor], heads: int, n: int, size: int, mask: int = 0
) -> Tensor:
    """Run flash or memory-efficient attention; consumes the references to queries, keys and values.

    Args:
        tape: Where it is recorded.
        nums: How elementwise work is done.
        qkv: Queries, keys and values.
        heads: Query heads of this rank.
        n: Tokens.
        size: Bytes of the result.
        mask: Bytes of a mask that is made for it; 0: none.
    """
    q, k, v = qkv
    masks = [tape.new(mask)] if mask else []
    out = tape.product("attention", size, alternate=False, kept=nums.attention_kept)
    sums = tape.product("attention.sums", 4 * heads * n, alternate=False, kept=nums.attention_kept)
    saved = tape.save(q, k, v, out, sums, *masks)
    tape.drop(sums, *masks)

    def backward() -> None:
        grad = tape.take(out)
        grads = [tape.new(x.size) for x in (q, k, v)]
        # The kernel holds the rows' products, the queries' gradient in fp32, and keys' and
        # values' gradients for each query head where heads share them.
        shared = (q.size, q.size) if k.size < q.size else ()
        tape.scratch(4 * heads * n, q.size * 4 // nums.e, *shared)
        for x, piece in zip((q, k, v), grads, strict=True):
            tape.give(x, piece)
        tape.drop(grad, *saved)

    tape.node(backward)
    tape.drop(q, k, v)
    return out


def attend_eagerly(tape: Tape, nums: Numerics, qkv: tuple[Tensor, Tensor, Tensor], scores: int, capped: bool) -> Tensor:
    """Run attention with its scores in memory; consumes the references to queries, keys and values.

    Args:
        tape: Where it is recorded.
        nums: How elementwise work is done.
        qkv: Queries, and keys and values already repeated for each query head.
        scores: Number of scores: heads x tokens x sequence length.
        capped: The scores go through a soft cap.
    """
    q, k, v = qkv
    narrow, wide = nums.e * scores, 4 * scores
    raw = tape.new(narrow)
    scaled = tape.new(narrow)
    tape.drop(raw)
    bent: tuple[Tensor, ...] = ()
    if capped:
        divided, tanh = tape.new(narrow), tape.new(narrow)
        tape.drop(divided, scaled)
        bent = tape.save(tanh)
        scaled = tape.new(narrow)
        tape.drop(tanh)
    masked = tape.new(narrow)
    tape.drop(scaled)
    chances = tape.new(wide)
    tape.drop(masked)
    cast = tape.new(narrow) if nums.e < 4 else tape.hold(chances)
    mixed = tape.new(v.size)
    out = tape.new(q.size)  # brought into the order of tokens
    tape.drop(mixed)
    saved = tape.save(q, k, v, chances, cast)
    tape.drop(q, k, v, chances, cast)

    def backward() -> None:
        grad = tape.take(out)
        turned = tape.new(v.size)
        tape.drop(grad)
        chances_grad, v_grad = tape.new(narrow), tape.new(v.size)
        tape.give(v, v_grad)
        tape.drop(turned, saved[2], saved[4])
        cast_grad = tape.new(wide) if nums.e < 4 else tape.hold(chances_grad)
        tape.drop(chances_grad)
        through = tape.new(wide)
        tape.drop(cast_grad, saved[3])
        scores_grad = tape.new(narrow) if nums.e < 4 else tape.hold(through)
        tape.drop(through)
        tape.scratch(narrow, narrow) if capped else tape.scratch(narrow)
        tape.drop(*bent)
        tape.give(q, tape.new(q.size))
        tape.give(k, tape.new(k.size))
        tape.drop(scores_grad, saved[0], saved[1])

    tape.node(backward)
    return out
