"""What sizing returns: the JSON objects of `estimate`."""

from typing import Literal, Self

from contracts.base import Contract
from contracts.memory import MemoryEstimate


class Memory(Contract):
    """Predicted peak memory of one rank. GiB = 2**30 bytes."""

    active_gib: float
    """Peak of the allocated bytes."""
    reserved_gib: float
    """Steady-state peak of the bytes that the caching allocator holds."""
    step1_reserved_gib: float
    """The same at the first step."""
    capacity_gib: float | None
    """Memory of the device; null where it is not known."""
    overhead_gib: float
    """Allowance for context and communicators."""
    margin_gib: float | None
    """capacity - reserved - overhead; negative: does not fit."""
    error_pct: float
    """Stated error of `reserved_gib`, plus or minus, in percent."""
    peak_phase: str
    """Phase of the step in which the peak falls."""
    breakdown: dict[str, float]
    """GiB by component at the peak."""
    formula: tuple[str, ...]
    """The arithmetic, a line for each component."""

    @classmethod
    def of(cls, memory: MemoryEstimate) -> Self:
        """Return the estimate in the form of the command line."""
        fields = memory.model_dump(exclude={"breakdown_gib", "assumptions", "unsupported"})
        return cls(**fields, breakdown=memory.breakdown_gib)


class Estimate(Memory):
    """Answer of `estimate`."""

    model: str
    """Model that was sized."""
    params: int
    """Its parameters."""
    ranks: int
    """Ranks in all."""
    fits: bool | None
    """Whether the prediction fits with its stated error; null where the capacity is not known."""
    assumptions: tuple[str, ...]
    """What was assumed, each with what it is worth."""
    unsupported: tuple[str, ...]
    """Settings that the model does not express."""

    @classmethod
    def for_model(cls, model: str, params: int, ranks: int, memory: MemoryEstimate) -> Self:
        """Return the answer for one model and setup."""
        upper = memory.reserved_gib * (1 + memory.error_pct / 100) + memory.overhead_gib
        return cls(
            **dict(Memory.of(memory)),
            model=model,
            params=params,
            ranks=ranks,
            fits=None if memory.capacity_gib is None else upper <= memory.capacity_gib,
            assumptions=memory.assumptions,
            unsupported=memory.unsupported,
        )


class EstimateRow(Contract):
    """One line of `estimate --runs`: the prediction for a recorded run."""

    id: str | int | None
    """Id of the row."""
    active_gib: float | None
    """Peak of the allocated bytes; null where it cannot be predicted."""
    reserved_gib: float | None
    """Steady-state peak of the bytes that the caching allocator holds."""
    step1_reserved_gib: float | None
    """The same at the first step."""
    tokens_per_s_per_gpu: float | None
    """Tokens per second and GPU."""
    assumptions: tuple[str, ...]
    """What was assumed, each with what it is worth."""
    unsupported: tuple[str, ...]
    """What the model does not express, and why there is no prediction."""
    error_pct: dict[str, float] | None = None
    """Prediction against measurement in percent, signed; only where the row has `measured`."""


class EstimateSummary(Contract):
    """The last line of `estimate --runs`."""

    kind: Literal["summary"]
    """Tells this line from the others."""
    rows: int
    """Rows read."""
    predicted: int
    """Rows with a prediction."""
    compared: int
    """Rows with a prediction and a measurement of the reserved memory."""
    reserved_abs_error_pct: dict[str, float] | None = None
    """Mean, median, p90 and max of the absolute error; only where something was compared."""
    tokens_per_s_abs_error_pct: dict[str, float] | None = None
    """The same of the speed; the rates of the model were fitted to published runs."""
