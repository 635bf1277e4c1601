"""Head and loss in pieces, of which each piece's logits wait for the backward (torchtune).

torchtune's decoders apply the output projection to pieces of the tokens, and the loss takes
the list (CEWithChunkedOutputLoss): there is never one tensor of all logits, nor of their
gradient. Compiled, a piece's loss reads its logits again; otherwise its log-probabilities
are kept in fp32.
"""

from collections.abc import Callable

from engines.sizing.operations import Linear
from engines.sizing.setup import TrainingSetup
from engines.sizing.tape import Tape, Tensor


def record_pieces(tape: Tape, setup: TrainingSetup, head: Linear, x: Tensor, reach: Callable[[], None]) -> None:
    """Record the pieces' forward and backward; consumes the reference to the final norm's result.

    Args:
        tape: Where they are recorded.
        setup: How it is trained.
        head: The output projection.
        x: The final norm's result.
        reach: Called where the backward has passed the head.
    """
    count = setup.loss_chunks
    logits = setup.act_bytes * setup.tokens * head.rows // count
    wide, weight = logits * 4 // setup.act_bytes, setup.act_bytes * head.rows * head.cols
    grads: list[Tensor] = []
    kept = tape.save(x) if head.trained else ()

    def joined() -> None:
        whole = tape.new(x.size)
        tape.drop(*grads, *kept)
        tape.give(x, whole)
        reach()

    tape.node(joined)
    parts = []
    for index in range(count):
        part = tape.new(logits)
        parts.append(part)
        saved = tape.save(part) if setup.compile else _log_probabilities(tape, wide)

        def backward(saved: tuple[Tensor, ...] = saved, last: bool = index == count - 1) -> None:
            grad = _logits_gradient(tape, setup, saved, logits, wide)
            grads.append(tape.new(x.size // count))
            if head.trained and last:  # the first in the backward; the others are added to it
                tape.weight_grads.append(tape.new(weight))
            elif head.trained:
                tape.scratch(weight)
            tape.drop(grad)

        tape.node(backward)
    tape.drop(*parts, x)


def _log_probabilities(tape: Tape, wide: int) -> tuple[Tensor, ...]:
    cast, logs = tape.new(wide), tape.new(wide)
    saved = tape.save(logs)
    tape.drop(cast, logs)
    return saved


def _logits_gradient(tape: Tape, setup: TrainingSetup, saved: tuple[Tensor, ...], logits: int, wide: int) -> Tensor:
    if setup.compile:
        grad = tape.new(logits)
        tape.drop(*saved)
        return grad
    picked, through = tape.new(wide), tape.new(wide)
    tape.drop(picked, *saved)
    grad = tape.new(logits)
    tape.drop(through)
    return grad
