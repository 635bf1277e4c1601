"""Outline: what a question weighs, as options under conditions, before anything is known of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Changes = Mapping[str, Any]
"""Fields of a training setup, and what needs a machine to be resolved: "@replicas", "@tp", "@cp", "@pp"
(a degree; 0: as many as a machine has ranks, or as many as there are machines), "@optimizer_on_cpu",
"@gpus" (GPUs in all), "@gpu", "@network", "@model"."""


@dataclass(frozen=True)
class Choice:
    """One value of one axis."""

    axis: str
    """The axis."""
    value: Any
    """Name of a `vocabulary.Value`, or a number or a name."""


@dataclass(frozen=True)
class Variant:
    """An option, or a condition: the values that make it."""

    choices: tuple[Choice, ...]
    """Its values; empty: everything as it is."""
    changes: Changes
    """What it sets."""
    whole: bool = False
    """Whether its values belong together: all of them are in its name."""


@dataclass(frozen=True)
class Known:
    """What is known of the job from elsewhere, such as the structured request."""

    ranks: int | None = None
    """Ranks in all."""
    nodes: int | None = None
    """Machines."""
    seq_len: int | None = None
    """Tokens per sequence."""
    grad_accum: int | None = None
    """Micro-steps per optimizer step."""
    on_cpu: bool = False
    """Whether the ranks are CPU processes."""
    stated: Mapping[str, Any] = field(default_factory=dict)
    """Values that the structured request gives, by axis: they win over what the question says."""

    @property
    def per_node(self) -> int | None:
        """Ranks of a machine; None where unknown."""
        return self.ranks // self.nodes if self.ranks and self.nodes else None


@dataclass(frozen=True)
class Budget:
    """What is to be trained in all, and what it may cost, as far as a question states it."""

    tokens: int | None = None
    """Tokens in all."""
    price: float | None = None
    """Price of a GPU hour."""
    currency: str = ""
    """Its currency, as written."""
    per_gpu: bool = False
    """Whether the price is said to be of one GPU; else that is assumed."""


@dataclass(frozen=True)
class Contradiction:
    """What a question says of an axis, where the structured request says something else."""

    axis: str
    """The axis."""
    said: tuple[Any, ...]
    """What the question says."""
    stated: Any
    """What the request's field says."""
    holds: bool = True
    """Whether the field holds; False: the question weighs its own values, and those are compared."""


@dataclass(frozen=True)
class Outline:
    """A question taken apart."""

    question: str
    """The question."""
    options: tuple[Variant, ...]
    """What is weighed, the way things are first."""
    conditions: tuple[Variant, ...]
    """Under which conditions; one without choices where none varies."""
    fixed: Changes = field(default_factory=dict)
    """What the question states as given."""
    topics: tuple[str, ...] = ()
    """Axes that it speaks of, in the order in which they are named."""
    held: tuple[Choice, ...] = ()
    """Settings that the question states and that are the same for all options."""
    unlooked: tuple[str, ...] = ()
    """Asking parts of the question that nothing of this answers."""
    left_out: int = 0
    """Options and conditions that are beyond what a table shows."""
    budget: Budget = Budget()
    """Tokens in all, and price."""
    filled: str = ""
    """Axis that one side alone speaks of, so that the others were read as its default."""
    unclear: str = ""
    """Words that tie settings to each other in a way that was not understood."""
    contradictions: tuple[Contradiction, ...] = ()
    """Where the question and the structured request say different things."""
    assumed_seq_len: bool = False
    """Whether the length that others are compared with was assumed."""
    asks_speed: bool = False
    """Whether it asks which is faster."""
    asks_trials: bool = False
    """Whether it wants to be measured."""

    @property
    def configurations(self) -> int:
        """How many estimates it takes."""
        return len(self.options) * len(self.conditions)
