"""What a preflight returns."""

from pydantic import Field

from contracts.base import Contract
from contracts.run import RunRecord
from interfaces.results import Check


class MessageSpeed(Contract):
    """How fast one message size is summed over all ranks."""

    bytes: int = Field(gt=0)
    """Size of the message on each rank."""
    right: bool
    """Whether every element on every rank was the exact sum."""
    seconds: float = Field(ge=0)
    """Median over some repetitions, of the slowest rank."""
    bus_gb_per_s: float | None
    """Bus bandwidth in 1e9 bytes per second, 2 (n - 1) / n of bytes per second; None for one rank."""


class Preflight(Contract):
    """Verdicts on ranks, links and machine."""

    run: RunRecord
    """The run that examined them."""
    checks: tuple[Check, ...]
    """In the order in which they were made."""
    bandwidth: tuple[MessageSpeed, ...]
    """By growing message size; empty where the ranks could not meet."""
    ready: bool
    """Whether nothing is missing that a job needs."""
