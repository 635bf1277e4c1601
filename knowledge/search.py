"""Finds cards by words: BM25 over weighted fields, and likeness to known questions.

No network and no files beside the cards; the index is built in memory at the first search.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from knowledge.card import Card
from knowledge.cards import Cards, cards
from knowledge.lexicon import frameworks
from knowledge.words import is_concept, terms

FIELD_WEIGHTS = {
    "title": 3.0,
    "questions": 2.5,
    "claim": 2.5,
    "what_to_do": 1.2,
    "what": 1.0,
    "why": 0.7,
    "code": 0.6,
    "sources": 0.3,
}
"""How much a word counts where it stands."""

_K1 = 1.4  # saturation of repeated words
_B = 0.4  # length normalisation; weak, because a long card is not a vague one
_LIKENESS_WEIGHT = 0.9
_IDF_UNKNOWN_SHARE = 0.5
_OTHER_SUBJECT_FACTOR = 0.6
_UNNAMED_FRAMEWORK_FACTOR = 0.85


class Hit(NamedTuple):
    """A card that was found."""

    card: Card
    """The card."""
    score: float
    """0 for nothing in common; around 1 and above for a clear match."""
    grounding: float
    """Share of the query's weight of words that the card contains, 0 to 1."""
    substance: float
    """Rarity of the query's words that the card contains, added up; a rare word counts about 5."""


@dataclass(frozen=True)
class _Entry:
    card: Card
    weights: dict[str, float]
    """Weight of each term, saturated, without its rarity."""
    phrasings: tuple[frozenset[str], ...]
    """Terms of the title, of the slug and of each known question."""


class Index:
    """All cards, ready to be searched."""

    def __init__(self, source: Cards) -> None:
        """Count the terms of every field of every card."""
        counted = [(card, _counts(card)) for card in source.values()]
        lengths = [sum(weights.values()) for _, weights in counted]
        mean_length = sum(lengths) / max(1, len(lengths))
        frequency: Counter[str] = Counter(term for _, weights in counted for term in weights)
        total = len(counted)
        self._idf = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in frequency.items()}
        self._idf_unknown = _IDF_UNKNOWN_SHARE * math.log(1 + (total + 0.5) / 0.5)
        self._entries = []
        for (card, weights), length in zip(counted, lengths, strict=True):
            norm = _K1 * (1 - _B + _B * length / mean_length)
            saturated = {term: weight * (_K1 + 1) / (weight + norm) for term, weight in weights.items()}
            known_as = (card.title, card.slug.replace("-", " "), *card.questions)
            phrasings = tuple(frozenset(terms(text)) for text in known_as)
            self._entries.append(_Entry(card, saturated, phrasings))
        self._by_slug = {entry.card.slug: entry for entry in self._entries}

    def others(self, card: Card) -> list[Card]:
        """Return the cards that answer the same question for other versions of torch."""
        return [self._by_slug[slug].card for slug in card.in_other_versions if slug in self._by_slug]

    def contains(self, slug: str, term: str) -> bool:
        """Tell whether a card contains a term."""
        return term in self._by_slug[slug].weights

    def search(
        self, query: str, *, limit: int = 10, torch: str | None = None, applies_to: Iterable[str] = ()
    ) -> list[Hit]:
        """Return the best cards, the best first; cards without a word in common are left out.

        Args:
            query: A question, symbols, or an error message.
            limit: Cards at most.
            torch: Only cards that hold in this version.
            applies_to: Only cards about one of these.

        Raises:
            packaging.version.InvalidVersion: `torch` is no version.
        """
        asked = frozenset(terms(query))
        wanted = frozenset(applies_to)
        hits = []
        for entry in self._entries:
            if torch is not None and not entry.card.holds_in(torch):
                continue
            if wanted and not wanted.intersection(entry.card.applies_to):
                continue
            hit = self._score(entry, asked)
            if hit.score > 0:
                hits.append(hit)
        return sorted(hits, key=lambda hit: (-hit.score, hit.card.slug))[:limit]

    def rarity(self, term: str) -> float:
        """Return the weight of a term in a query; an unknown word counts half of a rare one."""
        return self._idf.get(term, self._idf_unknown)

    def _score(self, entry: _Entry, asked: frozenset[str]) -> Hit:
        whole = sum(self.rarity(term) for term in asked)
        if not whole:
            return Hit(entry.card, 0.0, 0.0, 0.0)
        shared = [term for term in asked if term in entry.weights]
        matched = sum(self._idf[term] * entry.weights[term] for term in shared)
        likeness = max((self._likeness(asked, phrasing) for phrasing in entry.phrasings), default=0.0)
        score = matched / whole + _LIKENESS_WEIGHT * likeness
        if _about_the_other(asked, entry.card):
            score *= _OTHER_SUBJECT_FACTOR
        if _about_an_unnamed_framework(asked, entry.card):
            score *= _UNNAMED_FRAMEWORK_FACTOR
        substance = sum(self._idf[term] for term in shared if not is_concept(term))
        return Hit(entry.card, score, sum(self._idf[term] for term in shared) / whole, substance)

    def _likeness(self, asked: frozenset[str], phrasing: frozenset[str]) -> float:
        common = sum(self.rarity(term) for term in asked & phrasing)
        if not common:
            return 0.0
        sizes = sum(self.rarity(term) for term in asked) * sum(self.rarity(term) for term in phrasing)
        return common / math.sqrt(sizes)


@cache
def index() -> Index:
    """Return the index of the product's cards, built at the first call."""
    return Index(cards())


def _counts(card: Card) -> dict[str, float]:
    texts: dict[str, Sequence[str]] = {
        "title": (card.title, card.slug),
        "questions": card.questions,
        "claim": (card.claim,),
        "what_to_do": (card.what_to_do,),
        "what": (card.what,),
        "why": (card.why,),
        "code": (card.code,),
        "sources": tuple(f"{source.title} {source.says}" for source in card.sources),
    }
    weights: dict[str, float] = {}
    for field, parts in texts.items():
        for part in parts:
            for term in terms(part):
                weights[term] = weights.get(term, 0.0) + FIELD_WEIGHTS[field]
    return weights


def _about_the_other(asked: frozenset[str], card: Card) -> bool:
    """Tell whether a question names one generation of FSDP and the card speaks of the other alone."""
    one, two = "~fsdp1" in asked, "~fsdp2" in asked
    if one == two:
        return False
    return ("fsdp2" if one else "fsdp1") in card.applies_to and ("fsdp1" if one else "fsdp2") not in card.applies_to


@cache
def _framework_terms() -> dict[str, frozenset[str]]:
    return {name: frozenset(term for word in words for term in terms(word)) for name, words in frameworks().items()}


def _about_an_unnamed_framework(asked: frozenset[str], card: Card) -> bool:
    """Tell whether a card speaks of frameworks alone and the question, which shows none of them, of torch."""
    known = _framework_terms()
    if not known.keys() >= set(card.applies_to):
        return False
    return not any(known[name] & asked for name in card.applies_to)
