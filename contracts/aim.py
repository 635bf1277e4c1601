"""Aim: what a plan is to achieve, and what it may cost."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.reliability import Reliability

Goal = Literal["fastest", "longest_sequence", "fewest_gpus", "largest_micro_batch"]
"""fastest: most tokens a second; longest_sequence: most tokens in a sequence;
fewest_gpus: the smallest world size that fits; largest_micro_batch: most sequences at once.
Among equals the faster one wins."""


class Aim(Contract):
    """What a plan is chosen by."""

    goal: Goal = "fastest"
    """What counts most."""
    margin_pct: float = Field(default=8.0, ge=0, le=50)
    """Share of the predicted peak that must stay free on top of it, in percent."""
    tokens: int | None = Field(default=None, ge=1)
    """Tokens to train on in all; time and cost are worked out for them."""
    price_per_gpu_hour: float | None = Field(default=None, ge=0)
    """Price of one GPU for an hour, in any currency."""
    reliability: Reliability = Reliability()
    """Failures, storage and restart, for checkpoints and cost on several machines."""
