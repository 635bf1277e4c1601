"""Trials: a few configurations run for a few steps each, and what was measured beside what was predicted."""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Contract
from contracts.recipe import Recipe

MOST_TRIALS = 8
"""More configurations than this are no short trial."""


class Trial(Contract):
    """One configuration that is run for a few steps."""

    label: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    """Short name, unique within its launch; also the name of its folder."""
    recipe: Recipe
    """Its settings; the built-in recipe runs them."""
    predicted_tokens_per_s_per_gpu: float | None = None
    """Predicted speed in tokens per second and rank; None where none was predicted (CPU ranks)."""
    predicted_reserved_gib: float | None = None
    """Predicted peak of the reserved memory of one rank, in GiB."""


class TrialResult(Contract):
    """What came of one trial."""

    label: str
    """Which trial."""
    status: Literal["measured", "failed", "not_run"]
    """measured: it ran to its end; failed: it died or was out of memory, the reason says how;
    not_run: nothing is known of it, such as after a stop."""
    tokens_per_s_per_gpu: float | None = None
    """Measured speed in tokens per second and rank, padding left out; median of the measured steps."""
    spread_pct: float | None = None
    """How far the measured steps lay apart: half of the range between their quartiles, in percent of the
    median; None where they were too few."""
    step_s: float | None = None
    """Seconds of one optimizer step; median of the measured steps."""
    peak_gib: float | None = None
    """Measured peak memory of the fullest rank, in GiB."""
    peak_of: Literal["cuda_reserved", "rss"] | None = None
    """What the peak is of: memory that the CUDA allocator reserved, or the resident set of a CPU rank."""
    steps: int = 0
    """Steps that were measured, warm-up left out."""
    reason: str | None = None
    """Why it failed or did not run."""
    torch: str | None = None
    """Version of torch that it ran with."""
    speed_ratio: float | None = None
    """Measured over predicted speed; None where no speed was predicted."""
    memory_ratio: float | None = None
    """Measured over predicted peak; None on CPU ranks, whose resident set holds libraries as well."""
    device: str | None = None
    """Device as torch names it, such as "NVIDIA H100 80GB HBM3"; "cpu" for CPU ranks."""


class Trials(Contract):
    """What was tried, what was measured, and which configuration won."""

    trials: tuple[Trial, ...] = Field(max_length=MOST_TRIALS)
    """What is or was tried, the configuration of the plan first."""
    results: tuple[TrialResult, ...] = ()
    """One for each trial, in their order; empty before they ran."""
    winner: str | None = None
    """Label of the trial that won; None before they ran and where none was measured."""
    because: str = ""
    """Why it won, with numbers; or why none did."""
    kept: tuple[str, ...] = ()
    """Where measurements were kept for later predictions, and which were not and why; empty where that
    was not asked for."""

    @model_validator(mode="after")
    def _labels_match(self) -> Self:
        labels = [trial.label for trial in self.trials]
        if len(set(labels)) != len(labels):
            raise ValueError("two trials have the same label")
        if self.results and [result.label for result in self.results] != labels:
            raise ValueError("results must have the trials' labels, in their order")
        if self.winner is not None and self.winner not in labels:
            raise ValueError(f"the winner {self.winner!r} is no trial")
        return self
