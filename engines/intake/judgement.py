"""Judgement: a verdict with its reasons, before it is put into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from contracts.need import ReasonCode, Verdict


@dataclass(frozen=True)
class Because:
    """One reason: its code, and the sentences that say it."""

    code: ReasonCode
    """Stable code."""
    says: tuple[str, ...]
    """Keys of `texts_en.REASONS`, in reading order."""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    """What the sentences' placeholders stand for."""


@dataclass(frozen=True)
class Judgement:
    """A verdict and why."""

    verdict: Verdict
    """Whether FSDP, and this specialist, are called for."""
    because: tuple[Because, ...]
    """The weightiest first; at least one."""
    instead: str = ""
    """Key of `texts_en.INSTEAD`; empty where the verdict is use_fsdp."""
