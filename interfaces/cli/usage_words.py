"""What is wrong with an option's value, in words that name what is allowed."""

import math
import re

import typer

_WORDS = (
    (re.compile(r"Input should be less than or equal to (\S+)"), r"must be \1 or less"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"must be \1 or more"),
    (re.compile(r"Input should be less than (\S+)"), r"must be below \1"),
    (re.compile(r"Input should be greater than (\S+)"), r"must be above \1"),
    (re.compile(r"Input should be a valid integer(?:, [^(]*[^(\s])?"), "must be a whole number"),
    (re.compile(r"Input should be a valid number(?:, [^(]*[^(\s])?"), "must be a number"),
)
_WRITTEN = re.compile(r"\d{1,20}(?:\.\d{1,20})?(?:[eE]\+?\d{1,2})?")


def plainly(said: str, given: str) -> str:
    """Return what a parser said in the words of this project's other messages.

    Args:
        said: The parser's message.
        given: The value that it speaks of; empty where unknown.
    """
    finite = given.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")
    for pattern, words in _WORDS:
        said = pattern.sub(words if finite else "must be a finite number", said)
    return said


def whole_number(text: str) -> int:
    """Return a count of at least one that may be written as 1000000 or as 1e6.

    Raises:
        typer.BadParameter: It is none.
    """
    written = text.replace("_", "").strip()
    value = float(written) if _WRITTEN.fullmatch(written) else math.nan
    if not (1 <= value < math.inf and value == math.floor(value)):
        raise typer.BadParameter("must be a whole number of 1 or more, such as 1000000000 or 1e9")
    return int(written) if written.isdigit() else int(value)
