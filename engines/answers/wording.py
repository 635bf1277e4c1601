"""Puts the claims of cards together, each with its citation, within the words that are allowed."""

import re
from collections.abc import Sequence

from contracts.answer import Citation
from knowledge.card import Card
from knowledge.search import Hit

WORDS_MAX = 150
"""Words of an answer unless more was asked for."""

_NEIGHBOUR_SHARE = 0.5
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(])")


def compose(hits: Sequence[Hit], lead: str, words_max: int = WORDS_MAX) -> tuple[str, list[Card]]:
    """Return the answer's text and the cards that it quotes.

    The best card gives its claim and its advice. Cards that match at least half as well
    add as many whole sentences of their claim as there is room for.

    Args:
        hits: The cards, the best first; at least one.
        lead: A sentence that comes first, such as shown arithmetic; may be empty.
        words_max: Words at most, citations included.
    """
    best = hits[0].card
    paragraphs = [f"{lead} {best.claim} {best.advice} [{best.slug}]".strip()]
    quoted = [best]
    room = words_max - len(paragraphs[0].split())
    for hit in hits[1:]:
        if hit.score < _NEIGHBOUR_SHARE * hits[0].score:
            break
        text = _leading_sentences(f"{hit.card.claim} {hit.card.advice}", room - 1)
        if text:
            paragraphs.append(f"{text} [{hit.card.slug}]")
            quoted.append(hit.card)
            room -= len(paragraphs[-1].split())
    return "\n\n".join(paragraphs), quoted


def compose_versions(cards: Sequence[Card], words_max: int = WORDS_MAX) -> str:
    """Return the answers of cards that hold in different versions of torch, each with its versions.

    Args:
        cards: The cards, the best first.
        words_max: Words at most; the claims come whole, the advice where there is room.
    """
    parts = [f"torch {card.torch}: {card.claim}" for card in cards]
    room = words_max - sum(len(part.split()) + 1 for part in parts)
    for number, card in enumerate(cards):
        advice = _leading_sentences(card.advice, room)
        if advice:
            parts[number] += f" {advice}"
            room -= len(advice.split())
    return "\n\n".join(f"{part} [{card.slug}]" for part, card in zip(parts, cards, strict=True))


def citation(card: Card) -> Citation:
    """Return the citation of a card: its claim, first source and evidence."""
    return Citation(card=card.slug, claim=card.claim, source=card.sources[0].url, evidence=card.evidence)


def _leading_sentences(text: str, words_max: int) -> str:
    chosen: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        if len(" ".join([*chosen, sentence]).split()) > words_max:
            break
        chosen.append(sentence)
    return " ".join(chosen)
