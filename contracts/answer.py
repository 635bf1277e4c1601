"""Answer: a reply made of cited claims, or "not covered"."""

from pydantic import Field

from contracts.base import Contract


class Citation(Contract):
    """The card behind a sentence of the answer."""

    card: str
    """Slug of the card."""
    claim: str
    """The card's claim."""
    source: str
    """Address of the source."""
    evidence: str
    """How the claim was established: probed, source_read, documented or reported."""


class Answer(Contract):
    """The reply to a question."""

    covered: bool
    """Whether the knowledge base covers the question."""
    answer: str
    """The reply; says "not covered" where it is not."""
    citations: tuple[Citation, ...] = ()
    """What each claim rests on; none where not covered."""
    nearest: tuple[str, ...] = ()
    """Slugs of the nearest cards."""
    confidence: float = Field(ge=0, le=1)
    """Probability that the answer is right and complete."""
    torch: str = ""
    """Version of torch that the answer speaks of."""
    notice: str = ""
    """What of a long question was not read; who worded the answer if not the cards, or why a configured
    language model did not."""
