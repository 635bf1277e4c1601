"""Numbers as people write them: digits, words, thousands and decimals."""

import re
from collections.abc import Mapping

from contracts.request import Language

_ENGLISH: Mapping[str, int] = {
    "one": 1,
    "single": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "dozen": 12,
    "sixteen": 16,
    "twenty": 20,
    "twenty-four": 24,
    "thirty-two": 32,
    "sixty-four": 64,
}
_DANISH: Mapping[str, int] = {
    "én": 1,
    "ét": 1,
    "enkelt": 1,
    "to": 2,
    "tre": 3,
    "fire": 4,
    "fem": 5,
    "seks": 6,
    "syv": 7,
    "otte": 8,
    "ni": 9,
    "ti": 10,
    "tolv": 12,
    "seksten": 16,
    "tyve": 20,
    "fireogtyve": 24,
    "toogtredive": 32,
    "fireogtres": 64,
}
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


def count_words(language: Language) -> Mapping[str, int]:
    """Number words that may stand for a count.

    Args:
        language: Danish adds its own; in an English text "to" and "fire" are no numbers.

    Returns:
        Word to number.
    """
    return {**_ENGLISH, **_DANISH} if language == "da" else _ENGLISH


def count_pattern(language: Language) -> str:
    """A regular expression for a count of at most four digits, or a number word.

    Args:
        language: Language of the text.

    Returns:
        A pattern without groups, to be used in lower-case text.
    """
    words = "|".join(sorted(count_words(language), key=len, reverse=True))
    return rf"(?:(?<![\w.,/-])\d{{1,4}}(?![\d.,]*\d)|\b(?:{words})\b)"


def count(text: str) -> int:
    """Read a count.

    Args:
        text: What `count_pattern` matched.

    Returns:
        The number.
    """
    return int(text) if text.isdigit() else {**_ENGLISH, **_DANISH}[text]


def whole(text: str) -> int:
    """Read a whole number that may have thousands separators.

    Args:
        text: Such as "8192", "8.192" or "8,192".

    Returns:
        The number.
    """
    return int(re.sub(r"[.,]", "", text)) if _THOUSANDS.fullmatch(text) else int(float(text.replace(",", ".")))


def decimal(text: str) -> float:
    """Read a number with a decimal point or comma.

    Args:
        text: Such as "1.5" or "1,5".

    Returns:
        The number.
    """
    return float(text.replace(",", "."))
