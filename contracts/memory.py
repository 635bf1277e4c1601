"""MemoryEstimate: predicted peak device memory, with its error and its parts."""

from pydantic import Field

from contracts.base import Contract


class MemoryEstimate(Contract):
    """Predicted peak memory per rank. GiB = 2**30 bytes throughout."""

    active_gib: float = Field(ge=0)
    """Peak of the allocated bytes."""
    reserved_gib: float = Field(ge=0)
    """Steady-state peak of the bytes that the caching allocator holds."""
    step1_reserved_gib: float = Field(ge=0)
    """The same at the first step, before optimizer state and gradient pools exist."""
    capacity_gib: float | None = None
    """Memory of the device; None where it is not known."""
    overhead_gib: float = Field(ge=0)
    """Allowance for context and communicators, which no allocator counter shows."""
    margin_gib: float | None = None
    """capacity - reserved - overhead; negative: does not fit."""
    error_pct: float = Field(ge=0)
    """Stated error of `reserved_gib`, plus or minus, in percent."""
    low_gib: float | None = None
    """Least that `reserved_gib` may be with the settings that were left open; None: none was."""
    high_gib: float | None = None
    """Most that it may be."""
    host_gib: float = 0.0
    """Host memory of one rank for what is offloaded."""
    host_gib_per_node: float = 0.0
    """The same for all ranks of one machine."""
    peak_phase: str
    """Phase of the step in which the peak falls: forward, loss, backward, optimizer."""
    breakdown_gib: dict[str, float]
    """Bytes by component at the peak, in GiB."""
    formula: tuple[str, ...] = ()
    """The arithmetic, a line for each component."""
    assumptions: tuple[str, ...] = ()
    """What was assumed, each with what it is worth."""
    unsupported: tuple[str, ...] = ()
    """Settings that this model does not express."""
