"""The words of the field, read from the data in `vocabulary/`.

Compound symbols are written there without their separators, as `words` makes them:
`reshard_after_forward` is `reshardafterforward`.
"""

from functools import cache
from pathlib import Path
from typing import Any

from knowledge.safe_yaml import parse_yaml

_FOLDER = Path(__file__).parent / "vocabulary"


@cache
def stop_words() -> frozenset[str]:
    """Return the words without a topic."""
    return frozenset(word for text in _read("stop_words").values() for word in text.split())


@cache
def danish_stop_words() -> frozenset[str]:
    """Return the Danish words without a topic."""
    return frozenset(_read("stop_words")["danish"].split())


@cache
def phrases() -> dict[str, str]:
    """Return the term that each phrase of several words is."""
    return {phrase: term for term, ways in _read("phrases").items() for phrase in ways}


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Return the words that stand for each concept, its own name included."""
    return {concept: (concept, *others) for concept, others in _read("synonyms").items()}


@cache
def danish() -> dict[str, str]:
    """Return the English word for each Danish one."""
    return {word: english for english, ways in _read("danish").items() for word in ways}


@cache
def boundaries() -> dict[str, tuple[str, ...]]:
    """Return the words that show whether a question is of the field, by kind of evidence."""
    return {kind: tuple(text.split()) for kind, text in _read("boundaries").items()}


@cache
def frameworks() -> dict[str, tuple[str, ...]]:
    """Return the words that show that a question is about a framework, by its name in `applies_to`."""
    return {name: tuple(text.split()) for name, text in _read("frameworks").items()}


def _read(name: str) -> dict[str, Any]:
    text = (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = parse_yaml(text)
    return found
