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
    ranks: int
    """Ranks over which it is sharded."""


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
    whole_elements: int
    """Elements of the unsharded gradient, padding included."""
    whole_learned: tuple[int, ...]
    """Elements of each trained parameter, padding included."""
    reshard: bool
    """Whether it is resharded after forward."""
    matrices: tuple[tuple[int, int], ...] = ()
    """Rows and columns of each trained matrix, as tensor parallelism leaves it."""
    parts: tuple[int, ...] = ()
    """Bytes of each parameter's part between forward and backward, where that is more than its shard."""
    held_parts: list[Block] = field(default_factory=list)
    """Those parts, while they are there."""
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
    tensors = tuple(pieces)
    elements = [-(-piece.rows // piece.ranks) * piece.cols for piece in tensors]
    sized = list(zip(tensors, elements, strict=True))
    learned = tuple(size for piece, size in sized if piece.trained)
    whole = tuple(size * piece.ranks for piece, size in sized if piece.trained)
    # A flat parameter has a gradient for all of it, as soon as a part of it is trained.
    flat = bool(setup.flat_mixed and learned)
    unsharded = tuple(int(size * piece.sent) * piece.ranks for piece, size in sized)
    after = setup.post_forward_ranks if reshard else 0
    return Group(
        shards=tuple(int(size * piece.stored) for piece, size in sized),
        learned=learned,
        unsharded=unsharded,
        gather_input=sum(int(size * piece.sent) for piece, size in sized),
        reduce_elements=sum(elements) if flat else sum(learned),
        whole_elements=sum(size * piece.ranks for piece, size in sized) if flat else sum(whole),
        whole_learned=whole,
        reshard=reshard,
        matrices=tuple((piece.rows, piece.cols) for piece in tensors if piece.trained and piece.cols > 1),
        parts=tuple(-(-size // after) for size in unsharded) if after else (),
    )


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
    # Experts are split by expert, over ep; then FSDP shards over the ranks that hold the same ones.
    by_expert = setup.ep > 1 and weight.name.startswith("experts.")
    ranks = setup.shard_ranks // setup.ep if by_expert else setup.shard_ranks
    rows = -(-weight.rows // (setup.ep if by_expert else setup.tp)) if matrix else weight.rows
    master, compute = DTYPE_BYTES[setup.master_dtype], setup.gathered_bytes
    if not setup.lora_rank:
        narrow = adapted and matrix and setup.float8_all_gather
        return [Piece(rows, weight.cols, master, 1 if narrow else compute, trained=True, ranks=ranks)]
    if adapted and matrix:
        base = NF4_BYTES if setup.base_bits == 4 else setup.base_bits / 8
    else:
        base = 2.0 if setup.base_bits < 32 else 4.0
    frozen = Piece(rows, weight.cols, base, min(base, compute), trained=False, ranks=ranks)
    if not (adapted and matrix and (not setup.lora_targets or weight.name in setup.lora_targets)):
        return [frozen]
    down = Piece(setup.lora_rank, weight.cols, master, compute, trained=True, ranks=ranks)
    return [frozen, down, Piece(rows, setup.lora_rank, master, compute, trained=True, ranks=ranks)]
