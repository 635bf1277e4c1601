"""What a dry run returns: the JSON object of `estimate --dry-run`."""

from contracts.base import Contract
from contracts.run import RunRecord
from interfaces.results_sizing import Estimate


class DryRun(Contract):
    """What a dry run found for one rank. GiB = 2**30 bytes."""

    torch: str
    """Version of torch that ran."""
    traced_layers: tuple[int, ...]
    """Layers that were run; more than one number: the figures are extrapolated from these."""
    layers: int
    """Layers of the model."""
    active_gib: float
    """Peak of the allocated bytes."""
    reserved_gib: float
    """Steady-state peak of the bytes that the caching allocator would hold."""
    step1_reserved_gib: float
    """The same at the first step."""
    host_gib: float
    """Peak in host memory (CPU offload)."""
    peak_phase: str
    """Phase of the step in which the peak falls."""
    breakdown: dict[str, float]
    """GiB by component at the peak."""
    error_pct: float
    """Stated error of an extrapolation, in percent; 0: nothing was extrapolated."""


class ComponentDifference(Contract):
    """One component at the peak, predicted and run dry."""

    component: str
    """Its name; or active, reserved, step1_reserved: the peaks as a whole."""
    predicted_gib: float
    """By the prediction."""
    dry_run_gib: float
    """By the dry run."""
    difference_pct: float | None
    """Prediction above the dry run, in percent of the dry run; null: the dry run has none."""


class DryRunAnswer(Contract):
    """A dry run beside the prediction."""

    model: str
    """Model that was run."""
    params: int
    """Its parameters."""
    ranks: int
    """Ranks in all."""
    fits: bool | None
    """Whether the dry run's reserved memory fits, with the overhead and 8 % to spare; null: no GPU was named."""
    dry_run: DryRun
    """What it found."""
    prediction: Estimate | None
    """What was predicted; null for a factory, whose shape is not known."""
    differences: tuple[ComponentDifference, ...]
    """The one against the other; empty without a prediction."""
    run: RunRecord
    """The run."""
