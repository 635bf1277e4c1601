"""Cells: what was found out about each option under each condition, as numbers handed in."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One option under one condition; GiB = 2**30 bytes, GB = 1e9 bytes, seconds of one optimizer step."""

    option: int
    """Place of the option in the outline."""
    condition: int
    """Place of the condition."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What was given to the models, defaults left out."""
    problem: str = ""
    """Why nothing can be estimated; empty where it was."""
    ranks: int = 1
    """Ranks in all."""
    states_gib: float = 0.0
    """Sharded weights, gradients and optimizer state of one rank, by arithmetic."""
    states_arithmetic: str = ""
    """How that was worked out."""
    reserved_gib: float = 0.0
    """Predicted peak of the reserved memory of one rank (on CPU ranks: of its tensors)."""
    memory_error_pct: float = 0.0
    """Stated error of the peak, plus or minus, in percent."""
    overhead_gib: float = 0.0
    """Allowance for context and communicators."""
    capacity_gib: float | None = None
    """Memory of the device; None where it is not known."""
    activations_gib: float = 0.0
    """What of the peak are activations and temporaries."""
    not_counted: tuple[str, ...] = ()
    """What the prediction leaves out, in words."""
    host_gib_per_node: float = 0.0
    """Host memory that offloading takes of one machine."""
    tokens_per_s: float | None = None
    """Predicted tokens per second and rank; None where speed is not predicted."""
    speed_error_pct: float = 0.0
    """Stated error of the speed."""
    step_s: float = 0.0
    """Seconds of an optimizer step."""
    exposed_s: float = 0.0
    """What of it waits for links and copies."""
    attention_s: float = 0.0
    """What of it is attention."""
    bound_by: str = ""
    """What bounds the step."""
    crossing_gb: float | None = None
    """What leaves one machine over its network in a step; None on one machine."""
    measured_tokens_per_s: float | None = None
    """Measured tokens per second and rank, where a trial ran."""
    measured_spread_pct: float = 0.0
    """How far the steps of the trial lay apart, plus or minus, in percent."""
    measured_peak_gib: float | None = None
    """Measured peak memory of the fullest rank."""
    dry_gib: float | None = None
    """Peak of the reserved memory by a dry run."""
    dry_error_pct: float = 0.0
    """Stated error of that."""

    more_parts: tuple[str, ...] = ()
    """Ids of the dry run and the trial that it rests on besides its estimate."""

    @property
    def known(self) -> bool:
        """Whether it was estimated."""
        return not self.problem

    @property
    def peak_gib(self) -> float:
        """The best known prediction of the peak: the dry run's where there is one."""
        return self.reserved_gib if self.dry_gib is None else self.dry_gib

    @property
    def peak_error_pct(self) -> float:
        """Stated error of that peak, plus or minus, in percent."""
        return self.memory_error_pct if self.dry_gib is None else self.dry_error_pct

    @property
    def fits(self) -> bool | None:
        """Whether it fits with room for the prediction's error; None: unknown, or too close to tell."""
        if not self.known or self.capacity_gib is None:
            return None
        error = self.peak_error_pct / 100
        room = self.capacity_gib - self.overhead_gib
        if self.peak_gib * (1 + error) <= room:
            return True
        return False if self.peak_gib * (1 - error) > room else None

    @property
    def close(self) -> bool:
        """Whether the limit lies within the error of the peak."""
        return self.known and self.capacity_gib is not None and self.fits is None

    @property
    def speed(self) -> float | None:
        """Tokens per second and rank, measured where it was measured."""
        return self.tokens_per_s if self.measured_tokens_per_s is None else self.measured_tokens_per_s

    @property
    def total_speed(self) -> float | None:
        """Tokens per second of all ranks."""
        return None if self.speed is None else self.speed * self.ranks

    @property
    def error_pct(self) -> float:
        """Error of the speed: of the trial where it was measured."""
        return self.speed_error_pct if self.measured_tokens_per_s is None else self.measured_spread_pct
