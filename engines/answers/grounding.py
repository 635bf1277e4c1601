"""Judges whether a sentence that a language model wrote says what the cards it cites say.

A card decides every number, name, negation and direction; a model may only choose the
words between them. When in doubt a sentence is unfounded: the cards' own words are there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from knowledge.card import Card
from knowledge.words import symbols, terms

GROUNDED_MIN = 0.6
"""Share of a sentence's words (those with a topic) that the cited cards have to contain."""

_SUPPORT_SHARE = 0.8
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_WORD = re.compile(r"(?<!\w)[A-Za-zÀ-ÿ]+(?:'t)?(?!\w)")  # not the parts of reshard_after_forward
_FIGURE = re.compile(r"([\w.]*\d[\w.]*)(?:[\s-]*(%|[A-Za-z]+))?")
_PLAIN_NUMBER = re.compile(r"\.?\d+(?:\.\d+)*")
_NUMBER_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)*)([a-z]+)")
_CODE_SPAN = re.compile(r"`+([^`]+)`+")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE)

_UNITS: frozenset[str] = frozenset().union(
    ("%", "b", "m", "k", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "byte", "bytes", "bit", "bits"),
    ("ms", "s", "sec", "second", "seconds", "min", "minute", "minutes", "h", "hour", "hours", "x", "times"),
    ("rank", "ranks", "gpu", "gpus", "node", "nodes", "step", "steps", "parameter", "parameters"),
)
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTS, 2)} | {
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
    "half": "0.5",
    "halves": "0.5",
    "twice": "2",
    "double": "2",
    "doubles": "2",
    "triple": "3",
    "triples": "3",
}
_NEGATIONS: frozenset[str] = frozenset().union(
    ("no", "not", "never", "none", "nothing", "neither", "nor", "cannot", "without"),
    ("ikke", "ingen", "intet", "aldrig", "uden"),
)
_PAIRS = (
    ("before", "after"),
    ("true", "false"),
    ("faster", "slower"),
    ("more", "less"),
    ("higher", "lower"),
    ("larger", "smaller"),
    ("increases", "decreases"),
    ("enable", "disable"),
    ("first", "last"),
    ("outside", "inside"),
    ("older", "newer"),
    ("before", "since"),
)
_OPPOSITES = tuple(chain(_PAIRS, ((two, one) for one, two in _PAIRS)))


def is_grounded(sentence: str, cited: Sequence[Card]) -> bool:
    """Tell whether the cards that a sentence cites bear it out.

    Numbers with their units, identifiers, code and addresses must occur in them, most words
    too, and the passage that comes nearest must not say the opposite.

    Args:
        sentence: The sentence without its citations.
        cited: The cards that it cites; at least one.
    """
    text = "\n".join(chain.from_iterable(card_texts(card) for card in cited))
    return (
        _share_known(sentence, frozenset(terms(text))) >= GROUNDED_MIN
        and _has_figures(sentence, text)
        and symbols(sentence) <= symbols(text) | {"pytorch"}
        and all(" ".join(span.split()).removesuffix("()") in " ".join(text.split()) for span in _code(sentence))
        and all(address.rstrip(".,)") in text for address in _ADDRESS.findall(sentence))
        and _agrees(sentence, text)
    )


def card_texts(card: Card) -> Iterator[str]:
    """Yield the texts of a card that bear a sentence out."""
    yield f"{card.title}. {' '.join(card.applies_to)}."
    yield from (card.claim, card.what, card.why, card.what_to_do)


def _code(sentence: str) -> list[str]:
    return [span.strip() for span in _CODE_SPAN.findall(sentence)]


def _share_known(sentence: str, known: frozenset[str]) -> float:
    words = [frozenset(terms(word)) for word in sentence.split()]
    speaking = [word for word in words if word]
    return sum(bool(word & known) for word in speaking) / len(speaking) if speaking else 0.0


def _has_figures(sentence: str, text: str) -> bool:
    given = set(_figures(text))
    numbers = {number for number, _ in given}
    words = set(_words(text))
    spelled = (word for word in _words(sentence) if word in _NUMBER_WORDS)
    return all((figure in given) if figure[1] else (figure[0] in numbers) for figure in _figures(sentence)) and all(
        word in words or _NUMBER_WORDS[word] in numbers for word in spelled
    )


def _figures(text: str) -> Iterator[tuple[str, str]]:
    """Yield (number, unit) for 14 GB, (bf16, "") for names with digits in them."""
    plain = re.sub(r"(?<=\d),(?=\d)", ".", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))
    for match in _FIGURE.finditer(plain):
        run, after = match[1].strip("._").lower(), (match[2] or "").lower()
        glued = _NUMBER_WITH_UNIT.fullmatch(run)
        if _PLAIN_NUMBER.fullmatch(run):
            yield run, after if after in _UNITS else ""
        elif glued is not None and glued[2] in _UNITS:
            yield glued[1], glued[2]
        else:
            yield run, ""


def _agrees(sentence: str, text: str) -> bool:
    """Tell whether the nearest passages have the sentence's negation and directions."""
    nearest = list(_nearest(sentence, _SENTENCE_END.split(text)))
    negated = _is_negated(_words(sentence))
    if all(_is_negated(_words(passage)) != negated for passage in nearest):
        return False
    support = {word for passage in nearest for word in _words(passage)}
    said = set(_words(sentence))
    return not any(one in said and two not in said and two in support and one not in support for one, two in _OPPOSITES)


def _nearest(sentence: str, passages: Iterable[str]) -> Iterator[str]:
    asked = frozenset(terms(sentence))
    rated = [(len(asked & frozenset(terms(passage))), passage) for passage in passages]
    best = max(shared for shared, _ in rated)
    yield from (passage for shared, passage in rated if shared >= _SUPPORT_SHARE * best)


def _is_negated(words: Iterable[str]) -> bool:
    return any(word in _NEGATIONS or word.endswith("n't") for word in words)


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _WORD.finditer(text)]
