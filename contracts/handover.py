"""Handover: what the runner knows of a failure that it does not answer by another start."""

from contracts.base import Contract


class FailedStart(Contract):
    """One start that failed."""

    attempt: int
    """The start, counted from 1."""
    error: str
    """What failed first, numbers and the rank left out, so that starts can be compared."""
    place: str | None = None
    """Where: "step 12", "before any step"; None where it cannot be told."""


class Handover(Contract):
    """A failure in the hands of whoever diagnoses it: what was tried, and where the evidence is."""

    reason: str
    """Why it was not started again."""
    starts: tuple[FailedStart, ...]
    """Starts that failed since somebody last asked for one, the oldest first."""
    evidence: tuple[str, ...] = ()
    """Files that tell of the last failure, relative to the run folder."""
