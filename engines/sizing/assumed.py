"""What a prediction assumes: each setting that was not given, with what it is worth, and the interval of all.

A setting is worth what the prediction changes by when it is otherwise. The interval has
the lowest and the highest prediction that the open settings allow together, widened by
the model's own error.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from contracts.memory import MemoryEstimate
from engines.sizing.closed_form import GIB
from engines.sizing.estimate import KNOWN_ERROR_PCT, estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.trace import replay

SMALLEST_WORTH_GIB = 0.01
"""What is worth less is not named."""


@dataclass(frozen=True)
class Assumption:
    """A setting that was not given."""

    setting: str
    """Its name."""
    value: object
    """What was assumed."""
    otherwise: dict[str, Any]
    """Another value, with what goes with it."""
    worth_gib: float
    """What reserved memory changes by with that value, in GiB."""
    counted: bool = True
    """Whether the interval allows for it."""

    @property
    def line(self) -> str:
        """The assumption as text, with what it is worth."""
        other = ", ".join(f"{name} {value}" for name, value in self.otherwise.items())
        apart = "" if self.counted else "; not in the interval"
        return f"{self.setting} {self.value} (not given; {other}: {self.worth_gib:+.2f} GiB{apart})"


def assumptions(shape: ModelShape, setup: TrainingSetup, given: Collection[str]) -> tuple[Assumption, ...]:
    """Return the open settings that matter, those that are worth most first.

    Args:
        shape: The model.
        setup: How it is trained.
        given: Names of the settings that were stated.
    """
    base = replay(shape, setup).reserved
    found = []
    for setting, otherwise, counted in _alternatives(shape, setup):
        if setting in given:
            continue
        worth = (replay(shape, setup.model_copy(update=otherwise)).reserved - base) / GIB
        if abs(worth) >= SMALLEST_WORTH_GIB:
            found.append(Assumption(setting, getattr(setup, setting), otherwise, worth, counted))
    return tuple(sorted(found, key=lambda item: -abs(item.worth_gib)))


def estimate_interval(
    shape: ModelShape, setup: TrainingSetup, given: Collection[str], capacity_gib: float | None = None
) -> MemoryEstimate:
    """Predict the peak of one rank, with its assumptions and the interval that they leave.

    Args:
        shape: The model.
        setup: How it is trained.
        given: Names of the settings that were stated.
        capacity_gib: Memory of the device in GiB; None where it is not known.
    """
    memory = estimate_memory(shape, setup, capacity_gib)
    if setup.device == "cpu":
        return memory
    named = assumptions(shape, setup, given)
    error = KNOWN_ERROR_PCT / 100
    less = _furthest(shape, setup, [item for item in named if item.counted and item.worth_gib < 0])
    more = _furthest(shape, setup, [item for item in named if item.counted and item.worth_gib > 0])
    low, high = memory.reserved_gib + min(0.0, *less), memory.reserved_gib + max(0.0, *more)
    kept = tuple(line for line in memory.assumptions if not line.startswith(tuple(item.setting for item in named)))
    return memory.model_copy(
        update={
            "low_gib": round(low * (1 - error), 3),
            "high_gib": round(high * (1 + error), 3),
            "assumptions": (*(item.line for item in named), *kept),
        }
    )


def _furthest(shape: ModelShape, setup: TrainingSetup, items: list[Assumption]) -> list[float]:
    """Return what some settings are worth in GiB: each alone, and all together (of two values, the one worth more).

    Together they may be worth less than one alone: the peak may fall in another phase.
    """
    changes: dict[str, Any] = {}
    for item in reversed(items):
        changes |= item.otherwise
    if not changes:
        return [0.0]
    together = replay(shape, setup.model_copy(update=changes)).reserved - replay(shape, setup).reserved
    return [together / GIB, *(item.worth_gib for item in items)]


def _alternatives(shape: ModelShape, setup: TrainingSetup) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield each setting that people leave out, another value for it, and whether the interval allows for it."""
    yield "expandable_segments", {"expandable_segments": not setup.expandable_segments}, True
    for other in ("fp32_copy", "compiled", "fp32_in_model"):
        if other != setup.loss_impl:
            yield "loss_impl", {"loss_impl": other}, True
    yield "logits_kept", {"logits_kept": not setup.logits_kept}, True
    if not setup.compile and shape.norm == "rms":
        other = "fused" if setup.norm_kernel == "decomposed" else "decomposed"
        yield "norm_kernel", {"norm_kernel": other}, True
    if setup.fsdp == 2 and setup.ranks > 1:
        other = "emb_blocks_head" if setup.wrap == "blocks_root" else "blocks_root"
        yield "wrap", {"wrap": other}, True
        yield "reshard_last", {"reshard_last": not setup.reshard_last}, True
        yield "root_reshard", {"root_reshard": not setup.root_reshard}, True
    if setup.optimizer == "adamw" and not setup.cpu_offload:
        other = "fused" if setup.optimizer_impl == "foreach" else "foreach"
        yield "optimizer_impl", {"optimizer_impl": other}, True
    window = shape.sliding_window
    if window is not None and window < setup.seq_len and not setup.flash_attention_2:
        yield "flash_attention_2", {"flash_attention_2": True}, True
    if not setup.materialized_attention:
        yield "materialized_attention", {"materialized_attention": True}, False
