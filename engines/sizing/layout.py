"""Layout: a rank's part of the model, as recorded pieces and parameter groups."""

from collections.abc import Callable
from dataclasses import dataclass

from contracts.errors import RequestInvalid
from engines.sizing import weights
from engines.sizing.decoder import Piece, record_block
from engines.sizing.ends import HeadPiece, record_head
from engines.sizing.groups import Group, block_pieces, make_group, outer_pieces
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape


@dataclass(frozen=True)
class Stage:
    """A contiguous part of the model on one pipeline rank."""

    start: int
    """First layer."""
    stop: int
    """Layer behind the last one."""
    first: bool = True
    """It has the embedding."""
    last: bool = True
    """It has the final norm, the head and the loss."""


@dataclass
class Layout:
    """What one rank runs."""

    blocks: list[tuple[Piece, Group]]
    """Its blocks in order, each with its parameter group."""
    first: Group
    """The group of the embedding; the same object as `last` where they are one."""
    last: Group
    """The group of final norm and head."""
    head: HeadPiece | None
    """Final norm, head and loss; None on a stage without them."""
    has_embedding: bool
    """Whether token ids enter here."""
    leading: int = 0
    """Tensors of the root group that come before the blocks in the model, where it is one group."""

    @property
    def groups(self) -> list[Group]:
        """Every parameter group, in the order of the model."""
        inner = [group for _, group in self.blocks]
        return [self.first, *inner] if self.first is self.last else [self.first, *inner, self.last]

    def in_model_order(self, sizes: Callable[[Group], tuple[int, ...]]) -> list[int]:
        """Return a size for each tensor in the order of the model, in which parameters and optimizer state are made.

        Args:
            sizes: What a group says of its tensors.
        """
        if self.first is not self.last:
            return [size for group in self.groups for size in sizes(group)]
        root = sizes(self.first)
        inner = [size for _, group in self.blocks for size in sizes(group)]
        return [*root[: self.leading], *inner, *root[self.leading :]]


def stages(shape: ModelShape, setup: TrainingSetup) -> tuple[Stage, ...]:
    """Return the parts of the model whose ranks may have the highest peak: the first and the last.

    Raises:
        RequestInvalid: There are more stages than layers.
    """
    if setup.pp > shape.layers:
        raise RequestInvalid(f"pp {setup.pp} over {shape.layers} layers: {shape.layers / setup.pp:.2f} for each stage")
    if setup.pp == 1:
        return (Stage(0, shape.layers),)
    depth = -(-shape.layers // setup.pp)
    return Stage(0, depth, last=False), Stage(max(0, shape.layers - depth), shape.layers, first=False)


def stages_by_rank(shape: ModelShape, setup: TrainingSetup) -> tuple[tuple[Stage, ...], ...]:
    """Return the stages of the pipeline ranks that may have the highest peak: the first and the last.

    Raises:
        RequestInvalid: There are more stages than layers.
    """
    if setup.pp == 1 or setup.pp_schedule != "interleaved_1f1b":
        return tuple((stage,) for stage in stages(shape, setup))
    total = setup.pp * setup.pp_virtual
    if total > shape.layers:
        arithmetic = f"pp {setup.pp} x {setup.pp_virtual} stages each = {total}"
        raise RequestInvalid(f"{arithmetic}, over {shape.layers} layers: {shape.layers / total:.2f} for each stage")
    depth, longer = divmod(shape.layers, total)

    def stage(index: int) -> Stage:
        start = index * depth + min(index, longer)
        return Stage(start, start + depth + (index < longer), first=index == 0, last=index == total - 1)

    return tuple(
        tuple(stage(rank + setup.pp * chunk) for chunk in range(setup.pp_virtual)) for rank in (0, setup.pp - 1)
    )


def lay_out(shape: ModelShape, setup: TrainingSetup, stage: Stage) -> Layout:
    """Record the pieces of a stage and group its parameters."""
    whole = setup.wrap == "root"
    blocks: list[tuple[Piece, Group]] = []
    pieces: dict[tuple[bool, bool, int | None], Piece] = {}
    gathered_at_root = []
    for layer in range(stage.start, stage.stop):
        kind = shape.is_mixture(layer), _checkpointed(setup, layer), shape.looks_back(layer)
        if kind not in pieces:
            pieces[kind] = record_block(shape, setup, mixture=kind[0], checkpointed=kind[1], looks_back=kind[2])
        tensors = block_pieces(shape, setup, mixture=kind[0])
        if whole:
            gathered_at_root += tensors
            tensors = []
        kept = layer == shape.layers - 1 and setup.wrap == "blocks_root" and not setup.reshard_last
        blocks.append((pieces[kind], make_group(tensors, setup, reshard=setup.reshards and not kept)))
    embedding = outer_pieces(weights.embedding(shape), setup) if stage.first else []
    ending = outer_pieces((*weights.final_norm(shape), *weights.head(shape)), setup) if stage.last else []
    head = record_head(shape, setup) if stage.last else None
    reshard = setup.reshards
    if setup.wrap == "emb_blocks_head" and not shape.tied:
        first = make_group(embedding, setup, reshard=reshard)
        last = make_group(ending, setup, reshard=reshard and setup.reshard_last)
        return Layout(blocks, first, last, head, stage.first)
    root = make_group((*embedding, *gathered_at_root, *ending), setup, reshard=reshard and setup.root_reshard)
    leading = len(embedding) + len(gathered_at_root)
    return Layout(blocks, root, root, head, stage.first, leading)


def _checkpointed(setup: TrainingSetup, layer: int) -> bool:
    if setup.ac == "every_k":
        return (layer + 1) % setup.ac_every == 0  # torchtitan counts the layers from 1
    return setup.ac != "none"
