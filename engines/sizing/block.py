"""A decoder block while it is recorded: its context, and what moves whole tensors about."""

from dataclasses import dataclass

from engines.sizing.operations import Linear, Numerics
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.tape import Tape, Tensor


@dataclass(frozen=True)
class Block:
    """What a block needs to know while it is recorded."""

    tape: Tape
    shape: ModelShape
    setup: TrainingSetup
    nums: Numerics
    mixture: bool
    looks_back: int | None = None

    @property
    def n(self) -> int:
        """Tokens of the rank."""
        return self.setup.tokens

    @property
    def n_local(self) -> int:
        """Tokens of the rank where the residual stream is split over tp (sequence parallel)."""
        return self.setup.tokens // self.setup.tp

    @property
    def eager_attention(self) -> bool:
        """Whether scores are materialised: as asked, or because the model's code knows no other way."""
        only = self.shape.eager_attention and self.setup.model_code == "transformers"
        return self.setup.materialized_attention or only

    @property
    def mask(self) -> int:
        """Bytes of the mask that scaled_dot_product_attention makes of a window, in the dtype of the queries; 0: none.

        transformers hands over booleans; torch casts them for each layer, and the backward keeps
        the cast. With a mask, keys and values are repeated for each query head.
        """
        setup, length = self.setup, self.setup.seq_len
        windowed = self.looks_back is not None and self.looks_back <= length and setup.model_code == "transformers"
        if not windowed or setup.flash_attention_2 or self.eager_attention:
            return 0
        return self.nums.e * setup.tokens * length

    @property
    def e(self) -> int:
        """Bytes of an activation's element."""
        return self.nums.e

    def layer(self, name: str, rows: int, cols: int, *, bias: bool = False, copies: int = 1) -> Linear:
        """Return a projection as this run trains it."""
        setup = self.setup
        if not setup.lora_rank:
            return Linear(name, rows, cols, bias=bias, copies=copies)
        targeted = not setup.lora_targets or name in setup.lora_targets
        rank, expanded = setup.lora_rank * targeted, setup.base_bits == 4
        return Linear(name, rows, cols, trained=False, rank=rank, dequantized=expanded, copies=copies)


def numerics(shape: ModelShape, setup: TrainingSetup) -> Numerics:
    """Return how elementwise work is done in a run."""
    return Numerics(
        setup.act_bytes,
        fused=setup.compile,
        norm_fused=setup.norm_kernel == "fused" or shape.norm == "layer",
        norm_wide=shape.norm_wide,
        autocast=setup.autocast,
        norm_trained=not setup.lora_rank,
        norm_python=setup.model_code == "transformers",
        attention_kept=setup.attention_kept,
        abs_kept=setup.abs_kept and setup.float8 == "tensorwise" and not setup.compile,
    )


def gather(block: Block, x: Tensor) -> Tensor:
    """Gather the sequence over tp; the caller's reference is consumed."""
    if block.setup.tp == 1:
        return x
    tape, whole = block.tape, x.size * block.setup.tp
    tape.scratch(whole)  # gathered along the first dimension, then put in order
    out = tape.new(whole)

    def backward() -> None:
        grad = tape.take(out)
        tape.scratch(whole)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def scatter(block: Block, name: str, x: Tensor, *, final: bool = False) -> Tensor:
    """Sum over tp and keep this rank's part of the sequence; consumes the reference."""
    if block.setup.tp == 1:
        return x
    tape, part = block.tape, x.size // block.setup.tp
    if not x.phantom:
        tape.scratch(x.size)
    out = tape.product(name, part, alternate=False, final=final)

    def backward() -> None:
        grad = tape.take(out)
        tape.scratch(x.size)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    tape.drop(x)
    return out


def view_part(block: Block, x: Tensor, size: int) -> Tensor:
    """Take a part of a tensor without copying it; its gradient is padded to the whole."""
    tape = block.tape
    out = tape.view(x, size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    return out


def copy_part(block: Block, x: Tensor, size: int) -> Tensor:
    """Copy a part of a tensor into one of its own."""
    tape = block.tape
    out = tape.new(size)

    def backward() -> None:
        grad = tape.take(out)
        tape.give(x, tape.new(x.size))
        tape.drop(grad)

    tape.node(backward)
    return out
