"""What the operations on the knowledge base return."""

from pydantic import Field

from contracts.base import Contract
from contracts.probe import CardVerdict
from knowledge.card import Card


class CardRow(Contract):
    """A card in a list."""

    card: str
    """Slug of the card."""
    title: str
    """Headline."""
    claim: str
    """The claim."""
    kind: str
    """What sort of statement it is."""
    applies_to: tuple[str, ...]
    """What it is about."""
    torch: str
    """Versions of torch in which it holds."""
    evidence: str
    """How it was established."""
    score: float | None = None
    """How well it matches a search; 1 and above is a clear match. None in a plain list."""


class CardList(Contract):
    """Cards: in alphabetical order, or the best match first."""

    cards: tuple[CardRow, ...]
    """The cards."""


class CardText(Contract):
    """One card, whole."""

    card: Card
    """The card."""
    recorded: dict[str, str]
    """Verdict of its probe on each version of torch that was recorded."""


class Verification(Contract):
    """What the probes found on one installed torch."""

    torch: str
    """Its version."""
    interpreter: str
    """Python of its environment."""
    seconds: float = Field(ge=0)
    """Wall time in seconds."""
    counts: dict[str, int]
    """Cards by verdict."""
    verdicts: tuple[CardVerdict, ...]
    """Verdict of each card, by slug."""
    written: tuple[str, ...] = ()
    """Files that were written."""
