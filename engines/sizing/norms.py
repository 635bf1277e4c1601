"""The norms of a decoder on a tape: RMSNorm in separate operations, or one kernel."""

from engines.sizing.operations import Numerics
from engines.sizing.tape import Tape, Tensor


def norm(tape: Tape, nums: Numerics, x: Tensor, n: int, width: int) -> Tensor:
    """Normalise n vectors; the caller keeps its reference to x."""
    if nums.norm_fused or nums.fused:
        return _fused_norm(tape, nums, x, width)
    e, wide = x.size // (n * width), 4 * n * width
    cast = tape.new(wide) if e < 4 else tape.hold(x)
    tape.scratch(wide)  # the squares
    scaled = tape.new(wide)
    saved = tape.save(cast)
    if nums.norm_python:  # the name of the cast is set to the scaled one, which lives as long as its frame
        tape.drop(cast)
    narrow = tape.new(e * n * width) if e < 4 and not nums.norm_wide else tape.hold(scaled)
    if not nums.norm_python:
        tape.drop(scaled)
    if nums.norm_wide and e < 4:
        tape.scratch(wide)
    out = tape.new(e * n * width)
    scaled_by = tape.save(narrow) if nums.norm_trained else ()
    tape.drop(narrow, scaled if nums.norm_python else cast)

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
        # the mean's gradient for each element, then the power's: x, 2x, 2x * grad
        tape.scratch(wide, wide, wide, wide)
        tape.drop(saved[0])
        tape.give(x, tape.new(e * n * width) if e < 4 else tape.hold(through))
        tape.drop(through)

    tape.node(backward)
    return out


def _fused_norm(tape: Tape, nums: Numerics, x: Tensor, width: int) -> Tensor:
    out = tape.new(x.size)
    saved = tape.save(x)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        if nums.norm_trained:
            tape.weight_grads.append(tape.new(nums.e * width))
        tape.drop(grad, *saved)

    tape.node(backward)
    return out
