"""Option: one configuration, its speed, and its memory roughly and exactly."""

from dataclasses import dataclass, field
from typing import Any

from contracts.memory import MemoryEstimate
from engines.sizing.closed_form import GIB, closed_form
from engines.sizing.estimate import OVERHEAD_GIB, estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine, speed_of
from engines.sizing.throughput.speed import Speed

BUILT_IN = {
    "compile": False,
    "tp": 1,
    "cp": 1,
    "pp": 1,
    "float8": "none",
    "optimizer": "adamw",
    "optimizer_impl": "foreach",
    "expandable_segments": False,
    "loss_impl": "fp32_copy",
}
"""What the built-in recipe always does; its other settings are its knobs."""


@dataclass
class Option:
    """A configuration under consideration."""

    changes: dict[str, Any]
    """Knobs and their values."""
    setup: TrainingSetup
    """All settings."""
    speed: Speed
    """Predicted step."""
    rough_gib: float
    """Reserved memory by the closed form, in GiB."""
    memory: MemoryEstimate | None = field(default=None)
    """Predicted by the allocation trace; None where it was not asked."""

    @property
    def kind(self) -> tuple[Any, ...]:
        """What the closed form errs by in the same way."""
        setup = self.setup
        return (setup.ac, setup.compile, setup.cpu_offload, setup.reshard_after_forward, setup.tp > 1, setup.loss_impl)

    @property
    def built_in(self) -> bool:
        """Whether the built-in recipe trains it."""
        return self.setup.ac in ("none", "full") and all(
            getattr(self.setup, name) == value for name, value in BUILT_IN.items()
        )


def consider(shape: ModelShape, changes: dict[str, Any], setup: TrainingSetup, machine: Machine) -> Option:
    """Return an option with what is cheap to know."""
    rough = closed_form(shape, setup).reserved_bytes / GIB
    return Option(changes, setup, speed_of(shape, setup, machine), rough)


def measure(shape: ModelShape, option: Option, capacity_gib: float | None, error_pct: float) -> MemoryEstimate:
    """Return the exact memory of an option; it is worked out once."""
    if option.memory is None:
        option.memory = estimate_memory(shape, option.setup, capacity_gib, error_pct)
    return option.memory


def fits(memory: MemoryEstimate, capacity_gib: float, margin_pct: float) -> bool:
    """Tell whether a peak and its margin stay below the capacity.

    Args:
        memory: The exact prediction.
        capacity_gib: Memory of the device in GiB.
        margin_pct: Share of the peak that must stay free on top of it.
    """
    return memory.reserved_gib * (1 + margin_pct / 100) + memory.overhead_gib <= capacity_gib


def limit_gib(capacity_gib: float, margin_pct: float) -> float:
    """Return the largest reserved peak that fits, in GiB."""
    return (capacity_gib - OVERHEAD_GIB) / (1 + margin_pct / 100)
