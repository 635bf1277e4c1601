"""Judges whether a question is about training torch models on several devices at all."""

from functools import cache
from typing import NamedTuple

from knowledge import lexicon
from knowledge.search import Hit, Index
from knowledge.words import terms

SCORE_MIN = 0.42
"""Score below which the best card is about something else."""
GROUNDING_MIN = 0.22
"""Share of the question's weight of words that the best card has to contain."""


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

    @property
    def inside(self) -> bool:
        """Tell whether the words alone speak for the field, foreign ones left aside."""
        return bool(self.field) or (bool(self.several) and bool(self.topic))


def scope_of(question: str) -> Scope:
    """Return the evidence that a question's words give."""
    asked = frozenset(term for term in terms(question) if not term.startswith("~"))
    field, several, topic, foreign = (asked & words for words in _word_sets())
    return Scope(field, several - field, topic - several - field, foreign - field)


def is_covered(question: str, hits: list[Hit], index: Index) -> bool:
    """Tell whether the cards can answer a question.

    The words have to be of the field, the best card has to match them, and words of
    another field must not outweigh: "FSDP or Megatron-LM" is covered only if the best
    cards speak of Megatron-LM too.

    Args:
        question: The question.
        hits: What the search found, the best first.
        index: Where it searched.
    """
    scope = scope_of(question)
    if not hits or not scope.inside:
        return False
    foreign = {term for term in scope.foreign if not index.contains(hits[0].card.slug, term)}
    if foreign and len(scope.field) < 2 * len(foreign):
        return False
    return hits[0].score >= SCORE_MIN and hits[0].grounding >= GROUNDING_MIN


@cache
def _word_sets() -> tuple[frozenset[str], ...]:
    kinds = lexicon.boundaries()
    # the first term of an entry is the entry itself; the others are its parts
    return tuple(
        frozenset(terms(word)[0] for word in kinds[kind] if terms(word))
        for kind in ("field", "several", "topic", "foreign")
    )
