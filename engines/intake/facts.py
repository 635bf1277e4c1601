"""What is known about a request: the values, where they contradict, what the text shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from contracts.request import Language

Method = Literal["full", "lora", "qlora"]
Optimizer = Literal["adamw", "adamw_8bit", "adafactor", "muon", "sgd", "sgd_momentum", "lion"]

Accelerator = Literal["tpu", "mps", "other"]
"""Kinds of accelerators beside GPUs under CUDA or ROCm: Google's, Apple's, and all others."""


@dataclass(frozen=True)
class Values:
    """Stated values; None where nothing was said. Sizes as in `contracts.need.Extracted`."""

    model: str | None = None
    """Model as named."""
    params_b: float | None = None
    """Parameters that are trained or adapted, in billions (1e9)."""
    frozen_params_b: float | None = None
    """Parameters of a second, frozen model (reference, teacher), in billions (1e9)."""
    gpus: int | None = None
    """GPUs in all, over all nodes."""
    nodes: int | None = None
    """Machines."""
    gpu_type: str | None = None
    """GPU as named in `tables.GPUS`."""
    gpu_mem_gb: float | None = None
    """Memory of one GPU in GB (1e9 bytes)."""
    seq_len: int | None = None
    """Tokens per sequence."""
    batch: int | None = None
    """Sequences per GPU and micro-step, or the global batch where only that was said."""
    global_batch: bool = False
    """Whether `batch` is the global batch."""
    method: Method | None = None
    """Which weights are trained."""
    accelerator: Accelerator | None = None
    """What is there in place of GPUs under CUDA or ROCm; None where nothing of the kind was said."""
    optimizer: Optimizer | None = None
    """Optimizer; AdamW where nothing was said."""


@dataclass(frozen=True)
class Conflict:
    """Two statements that cannot both hold."""

    key: str
    """Field of `Values`."""
    first: str
    """One statement, as it was made."""
    second: str
    """The other."""
    kept: str | None = None
    """The value that is used meanwhile; None: none can be."""


@dataclass(frozen=True)
class Reading:
    """What a free text says."""

    values: Values = Values()
    conflicts: tuple[Conflict, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Topics and cues that the text shows, each with the number of its different words."""
    words: frozenset[str] = frozenset()
    """Stems of the words of its prose, without what was pasted in."""
    language: Language = "en"
    empty: bool = True
    """Whether there is no text at all."""
