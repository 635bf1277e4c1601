"""What a block keeps for its backward, by the module that made it."""

from collections import Counter

from engines.sizing.block import Block, numerics
from engines.sizing.experts import experts
from engines.sizing.feed_forward import feed_forward
from engines.sizing.heads import attention
from engines.sizing.norms import norm
from engines.sizing.operations import add
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Mode, Tape, Tensor


class _LabelledTape(Tape):
    """A tape that remembers in which module each tensor was allocated."""

    def __init__(self, mode: Mode, *, compiled: bool) -> None:
        self.label = "residual stream"
        self.labels: list[str] = []
        super().__init__(mode, compiled=compiled)

    def external(self, size: int, *, needs_grad: bool = True) -> Tensor:
        """Remember the module, too."""
        self.labels.append(self.label)
        return super().external(size, needs_grad=needs_grad)


def kept_by_module(shape: ModelShape, setup: TrainingSetup, *, mixture: bool, checkpointed: bool) -> dict[str, int]:
    """Return the bytes that one block keeps between its forward and its backward, by module.

    Args:
        shape: The model.
        setup: How it is trained.
        mixture: The block routes its tokens to experts.
        checkpointed: Activation checkpointing applies to this block.
    """
    mode = Mode.KEEP
    if checkpointed:
        mode = Mode.SELECT if setup.ac == "selective_op" else Mode.DROP
    tape = _LabelledTape(mode, compiled=setup.compile)
    block = Block(tape, shape, setup, numerics(shape, setup), mixture)
    source = tape.external(setup.residual_bytes * block.n_local * shape.hidden)
    if checkpointed:
        tape.hold(source)
    result = _labelled_forward(block, tape, source)
    tape.drop(source)
    alive = {source.slot: source.size} if checkpointed or tape.saving else {}
    for slot, size in tape.events:
        if size:
            alive[slot] = size
        else:
            alive.pop(slot, None)
    alive.pop(result.slot, None)
    found: Counter[str] = Counter()
    for slot, size in alive.items():
        found[tape.labels[slot]] += size
    return dict(found)


def _labelled_forward(block: Block, tape: _LabelledTape, x: Tensor) -> Tensor:
    """Run a block's forward as `decoder` does, naming the module before each part."""
    shape, n, width = block.shape, block.n_local, block.shape.hidden
    four = shape.norms_per_block == 4

    def normed(tensor: Tensor) -> Tensor:
        tape.label = "norms"
        return norm(tape, block.nums, tensor, n, width)

    def after(tensor: Tensor) -> Tensor:
        if not four:
            return tensor
        out = normed(tensor)
        tape.drop(tensor)
        return out

    first = normed(x)
    tape.label = "attention"
    mixed = after(attention(block, first))
    inside = "experts" if block.mixture else "feed-forward"
    if shape.norms_per_block == 1:
        tape.label = inside
        inner = feed_forward(block, first)
        tape.label = "residual stream"
        return add(tape, add(tape, tape.hold(x), mixed), inner, final=True)
    tape.label = "residual stream"
    middle = add(tape, tape.hold(x), mixed)
    second = normed(middle)
    tape.label = inside
    inner = experts(block, second) if block.mixture else feed_forward(block, second, final=not four)
    tape.drop(second)
    inner = after(inner)
    tape.label = "residual stream"
    return add(tape, middle, inner, final=True)


def kept_in_all(shape: ModelShape, setup: TrainingSetup) -> dict[str, int]:
    """Return the bytes that all blocks of a rank keep, by module."""
    total: Counter[str] = Counter()
    known: dict[tuple[bool, bool], dict[str, int]] = {}
    for layer in range(shape.layers // setup.pp):
        every = setup.ac == "every_k" and (layer + 1) % setup.ac_every != 0
        kind = shape.is_mixture(layer), setup.ac != "none" and not every
        if kind not in known:
            known[kind] = kept_by_module(shape, setup, mixture=kind[0], checkpointed=kind[1])
        total.update(known[kind])
    return dict(total)
