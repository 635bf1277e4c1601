"""ProbeOutcome and CardVerdict: what a probe showed, and what that says about a card."""

from typing import Any, Literal

from pydantic import Field

from contracts.base import Contract

Verdict = Literal["held", "failed", "not_applicable", "unprobed"]
"""held: the probe saw what the card claims; failed: it did not; not_applicable: the claim
is about other versions of torch, or the probe needs what is not here; unprobed: no probe."""


class ProbeOutcome(Contract):
    """What one run of a probe showed."""

    probe: str
    """Name of the probe."""
    verdict: Literal["held", "failed", "not_applicable"]
    """Whether it saw what it asserts."""
    seconds: float = Field(ge=0)
    """Wall time in seconds."""
    observed: Any = None
    """What it saw, as JSON; None unless it held."""
    detail: str = ""
    """Why it failed or could not run."""


class CardVerdict(Contract):
    """What is known about a card on one version of torch."""

    card: str
    """Slug of the card."""
    verdict: Verdict
    """Whether the claim holds."""
    torch: str
    """Version of torch, without its build."""
    seconds: float = Field(default=0.0, ge=0)
    """Wall time of the probe in seconds."""
    observed: Any = None
    """What the probe saw, as JSON."""
    detail: str = ""
    """Why it failed, does not apply, or has no probe."""
