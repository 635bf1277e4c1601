"""Judges whether a question is about training torch models on several devices at all."""

from functools import cache
from typing import NamedTuple

from knowledge import lexicon
from knowledge.search import Hit, Index
from knowledge.words import is_concept, terms

SCORE_MIN = 0.42
"""Score below which the best card is about something else, whatever the words."""
GROUNDING_MIN = 0.22
"""Share of the question's weight of words that the best card has to contain, whatever the words."""
CLOSENESS_MIN = {"field": 0.0, "several_topic": 0.3, "disputed": 0.4, "one_kind": 0.5, "none": 0.85, "foreign": 1.6}
"""Score times grounding that the best card needs, by the evidence that the words alone give.

The less the words tell, the more of the question the card has to answer for: "port conflict
when launching two jobs" names nothing of the field, but there is a card about just that.
"""
SUBSTANCE_MIN = {"field": 0.0, "several_topic": 0.0, "disputed": 0.0, "one_kind": 2.5, "none": 10.0, "foreign": 10.0}
"""Rarity of the words that question and card share; "a good name" is found in many a card."""


class Scope(NamedTuple):
    """Which evidence a question gives."""

    field: frozenset[str]
    """Terms of the field itself."""
    several: frozenset[str]
    """Terms that say that several devices take part."""
    topic: frozenset[str]
    """Terms of training in general."""
    foreign: frozenset[str]
    """Terms of other fields."""
    plain: frozenset[str]
    """Terms of work on one device."""

    @property
    def inside(self) -> bool:
        """Tell whether the words alone speak for the field, foreign ones left aside."""
        return bool(self.field) or (bool(self.several) and bool(self.topic))

    @property
    def evidence(self) -> str:
        """Return how much the words tell, a key of `CLOSENESS_MIN`."""
        if self.foreign:
            return "disputed" if self.field else "foreign"
        if self.field:
            return "field"
        if self.several and self.topic:
            return "several_topic"
        return "one_kind" if (self.several or self.topic) and not self.plain else "none"


def scope_of(question: str) -> Scope:
    """Return the evidence that a question's words give."""
    asked = frozenset(term for term in terms(question) if not is_concept(term))
    field, several, topic, foreign, plain = (asked & words for words in _word_sets())
    return Scope(field, several - field, topic - several - field, foreign - field, plain)


def is_covered(question: str, hits: list[Hit], index: Index) -> bool:
    """Tell whether the cards can answer a question.

    The best card has to match the question, the closer the less its words are of the
    field, and words of another field must not outweigh: "FSDP or Megatron-LM" is covered
    only if the best card speaks of Megatron-LM too.

    Args:
        question: The question.
        hits: What the search found, the best first.
        index: Where it searched.
    """
    if not hits:
        return False
    scope, best = scope_of(question), hits[0]
    foreign = {term for term in scope.foreign if not index.contains(best.card.slug, term)}
    if foreign and len(scope.field) < 2 * len(foreign):
        return False
    return (
        best.score >= SCORE_MIN
        and best.grounding >= GROUNDING_MIN
        and best.score * best.grounding >= CLOSENESS_MIN[scope.evidence]
        and best.substance >= SUBSTANCE_MIN[scope.evidence]
    )


@cache
def _word_sets() -> tuple[frozenset[str], ...]:
    kinds = lexicon.boundaries()
    # the first term of an entry is the entry itself; the others are its parts
    return tuple(
        frozenset(terms(word)[0] for word in kinds[kind] if terms(word))
        for kind in ("field", "several", "topic", "foreign", "plain")
    )
