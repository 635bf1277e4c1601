"""What the cards say of a cause: its mechanism, its fix, and in which versions it holds."""

from functools import cache

from knowledge.card import Card
from knowledge.cards import FOLDER, read_card


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


@cache
def _card(slug: str) -> Card:
    # One file is read instead of all cards: a cause needs no other.
    return read_card(next((FOLDER / "cards").rglob(f"{slug}.md")))
