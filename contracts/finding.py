"""Finding: one mistake in code, configuration or plan, at its line."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

Severity = Literal["error", "warning", "advice"]
"""error: wrong or will fail; warning: likely wrong or costly; advice: could be better."""


class Edit(Contract):
    """Whole lines of a file that are replaced by others."""

    line: int = Field(ge=1)
    """1-based number of the first line that is replaced."""
    old: tuple[str, ...]
    """The lines as they are, without their ends; empty for an insertion before `line`."""
    new: tuple[str, ...]
    """The lines as they should be, without their ends; empty for a deletion."""


class RelatedPlace(Contract):
    """Another place that has a part in a mistake."""

    file: str
    """Path as given."""
    line: int = Field(ge=1)
    """1-based line."""
    message: str
    """What happens there."""


class Finding(Contract):
    """What a rule found."""

    rule: str = Field(pattern=r"^[A-Z]{2,4}[0-9]{3}$")
    """Rule id, such as FSDP001."""
    slug: str
    """Rule name, such as optimizer-before-shard."""
    severity: Severity
    """How bad it is."""
    file: str
    """Path as given."""
    line: int = Field(ge=1)
    """1-based line."""
    column: int = Field(default=1, ge=1)
    """1-based column."""
    message: str
    """What is wrong here, naming the things in the code."""
    fix: str = ""
    """What to change."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards with mechanism and source."""
    text: str = ""
    """The line of the file, without its end; cut where it is very long."""
    edits: tuple[Edit, ...] = ()
    """What mends it, where that is safe; empty where a person has to decide."""
    related: tuple[RelatedPlace, ...] = ()
    """Where else one has to look: the wrap that comes too late, the condition in the caller."""


class ReviewResult(Contract):
    """All findings of one review."""

    findings: tuple[Finding, ...]
    """Sorted by file, line and rule."""
    files: tuple[str, ...]
    """Files that were read."""
    unreadable: tuple[str, ...] = ()
    """Files that could not be read, each with the reason."""
    not_followed: tuple[str, ...] = ()
    """Places where the reading had to stop, so that silence there proves nothing."""
