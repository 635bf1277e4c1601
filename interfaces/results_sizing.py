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
    low_gib: float | None = None
    """Least that `reserved_gib` may be with the settings that were left open; null: none was."""
    high_gib: float | None = None
    """Most that it may be."""
    host_gib: float = 0.0
    """Host memory of one rank for what is offloaded."""
    host_gib_per_node: float = 0.0
    """The same for all ranks of one machine."""
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


class CalibrationUsed(Contract):
    """A measured peak that was taken into account."""

    source: str
    """Where it was measured."""
    measured_gib: float
    """Reserved memory that was measured."""
    predicted_gib: float
    """What is predicted for that run."""


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
    calibration_file: str | None = None
    """File of measured peaks that was asked for; null: none was."""
    calibrated_gib: float | None = None
    """`reserved_gib` times the mean of measured / predicted of the peaks in `calibration`; null: none speaks for it."""
    calibration: tuple[CalibrationUsed, ...] = ()
    """The measured peaks of runs of the same kind, each with its source."""

    def with_calibration(self, gib: float | None, used: tuple[CalibrationUsed, ...], file: str) -> Self:
        """Return the answer in the light of measured peaks, which then decide whether it fits."""
        fits = self.fits
        if gib is not None and self.capacity_gib is not None:
            fits = gib * (1 + self.error_pct / 100) + self.overhead_gib <= self.capacity_gib
        shown = None if gib is None else round(gib, 6)
        update = {"calibrated_gib": shown, "calibration": used, "calibration_file": file, "fits": fits}
        return self.model_copy(update=update)

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
