"""What the cards say of a cause: its mechanism, its fix, and how much a text is like them."""

from functools import cache

from knowledge.card import Card
from knowledge.cards import FOLDER, read_card

_QUERY_CHARS = 1200
_HITS_MAX = 40
_LIKENESS_MAX = 3.2
_LIKENESS_FACTOR = 1.6


def card_text(slug: str) -> tuple[str, str]:
    """Return a card's claim and the first paragraph of what to do."""
    card = _card(slug)
    return card.claim, " ".join(card.what_to_do.split("\n\n")[0].split())


def holds_in(slug: str, torch: str) -> bool:
    """Tell whether what a card says holds in a version of torch.

    Raises:
        packaging.version.InvalidVersion: `torch` is no version.
    """
    return _card(slug).holds_in(torch)


def likeness(text: str) -> dict[str, float]:
    """Return for each cause how much a text is like its cards, as a weight of a weak sign."""
    from knowledge.search import index

    found: dict[str, float] = {}
    for hit in index().search(text[:_QUERY_CHARS], limit=_HITS_MAX):
        for user in hit.card.used_by:
            kind, _, cause = user.partition(":")
            if kind == "cause":
                found[cause] = max(found.get(cause, 0.0), min(_LIKENESS_MAX, _LIKENESS_FACTOR * hit.score))
    return found


@cache
def _card(slug: str) -> Card:
    # One file is read instead of all cards: a cause needs no other.
    return read_card(next((FOLDER / "cards").rglob(f"{slug}.md")))
