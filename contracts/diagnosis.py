"""Diagnosis: the root cause of a failure, with the lines that prove it."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract


class Evidence(Contract):
    """A line that supports a cause."""

    file: str
    """Path as given; `<stdin>` for standard input."""
    line: int = Field(ge=1)
    """1-based line."""
    text: str
    """The line, shortened, with control characters removed."""


class Cause(Contract):
    """One possible root cause."""

    cause: str
    """Slug of the cause."""
    confidence: float = Field(ge=0, le=1)
    """Probability that this is the root cause."""
    summary: str
    """What happened."""
    fix: str
    """What to change, and how to confirm it."""
    evidence: tuple[Evidence, ...] = ()
    """The lines that prove it."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards."""


class Diagnosis(Contract):
    """The answer to "why did it fail"."""

    verdict: Literal["diagnosed", "unknown", "not_fsdp"]
    """`unknown` says in `needed` what would decide it."""
    causes: tuple[Cause, ...] = ()
    """Best first."""
    first_failure: str | None = None
    """The first abnormal event, with its rank and place."""
    ranks: dict[str, str] = {}
    """What is known of each rank's end."""
    needed: tuple[str, ...] = ()
    """What to collect, as exact commands or environment variables."""
