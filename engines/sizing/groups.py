"""Parameter groups: what is sharded, gathered and reduced together, in bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engines.sizing import weights
from engines.sizing.allocator import Block
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape, Weight

NF4_BYTES = 0.5 + 1 / 64 + 4 / (64 * 256)
"""Bytes of a 4-bit weight: two in a byte, an 8-bit scale for each block of 64, an fp32
factor for each 256 blocks (torchao's NF4Tensor)."""


@dataclass(frozen=True)
class Piece:
    """One parameter tensor on this rank, before FSDP shards it."""

    rows: int
    """First dimension, along which it is sharded."""
    cols: int
    """Product of the other dimensions."""
    stored: float
    """Bytes of an element of the shard."""
    sent: float
    """Bytes of an element on its way, and gathered."""
    trained: bool
    """Whether it has a gradient."""


@dataclass
class Group:
    """The parameters that are gathered together."""

    shards: tuple[int, ...]
    """Bytes of each parameter's shard."""
    learned: tuple[int, ...]
    """Elements of the shard of each parameter that is trained."""
    unsharded: tuple[int, ...]
    """Bytes of each gathered parameter."""
    gather_input: int
    """Bytes of this rank's part of the all-gather."""
    reduce_elements: int
    """Elements of the sharded gradient."""
    reshard: bool
    """Whether it is resharded after forward."""
    blocks: list[Block] = field(default_factory=list)
    """The gathered parameters, while they are there."""
    pending: Block | None = None
    """The all-gather output, until it is copied out."""
    grads: list[Block] = field(default_factory=list)
    """The gradients that wait for the optimizer."""
    waiting: list[Block] = field(default_factory=list)
    """Unsharded gradients that wait for the reduction."""

    @property
    def gathered(self) -> int:
        """Bytes of the all-gather output."""
        return sum(self.unsharded)


def make_group(pieces: Iterable[Piece], setup: TrainingSetup, *, reshard: bool) -> Group:
    """Return a group of tensors, each sharded along its rows with padding."""
    ranks = setup.shard_ranks
    shards, learned, unsharded, sent, flat = [], [], [], 0, 0
    for piece in pieces:
        elements = -(-piece.rows // ranks) * piece.cols
        flat += elements
        shards.append(int(elements * piece.stored))
        unsharded.append(int(elements * piece.sent) * ranks)
        sent += int(elements * piece.sent)
        if piece.trained:
            learned.append(elements)
    reduced = flat if setup.flat_mixed and learned else sum(learned)
    return Group(tuple(shards), tuple(learned), tuple(unsharded), sent, reduced, reshard)


def block_pieces(shape: ModelShape, setup: TrainingSetup, *, mixture: bool) -> list[Piece]:
    """Return the tensors of one decoder block, with its adapters."""
    pieces = []
    for weight in weights.block(shape, mixture=mixture):
        pieces += _pieces(weight, setup, adapted=True)
    return pieces


def outer_pieces(part: weights.Weights, setup: TrainingSetup) -> list[Piece]:
    """Return tensors outside the blocks, which take no adapters and no narrow format."""
    return [piece for weight in part for piece in _pieces(weight, setup, adapted=False)]


def _pieces(weight: Weight, setup: TrainingSetup, *, adapted: bool) -> list[Piece]:
    matrix = weight.cols > 1
    rows = -(-weight.rows // setup.tp) if matrix else weight.rows
    master, compute = DTYPE_BYTES[setup.master_dtype], setup.gathered_bytes
    if not setup.lora_rank:
        narrow = adapted and matrix and setup.float8_all_gather
        return [Piece(rows, weight.cols, master, 1 if narrow else compute, trained=True)]
    if adapted and matrix:
        base = NF4_BYTES if setup.base_bits == 4 else setup.base_bits / 8
    else:
        base = 2.0 if setup.base_bits < 32 else 4.0
    frozen = Piece(rows, weight.cols, base, min(base, compute), trained=False)
    if not (adapted and matrix and (not setup.lora_targets or weight.name in setup.lora_targets)):
        return [frozen]
    down = Piece(setup.lora_rank, weight.cols, master, compute, trained=True)
    return [frozen, down, Piece(rows, setup.lora_rank, master, compute, trained=True)]
