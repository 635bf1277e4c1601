"""Which words a text shows: the vocabulary compiled, and counted."""

import re
from collections.abc import Mapping
from functools import lru_cache

from engines.intake.words_absence import ABSENCES
from engines.intake.words_failure import FAILURES
from engines.intake.words_orders import ORDERS
from engines.intake.words_outside import OUTSIDE
from engines.intake.words_topics import TOPICS
from engines.intake.words_wishes import WISHES

_BETWEEN = re.compile(r"\s+\|\s+|\n")
_SPACES = re.compile(r"\s+")
_BLANKS = re.compile(r"[ \t]+")


def _phrases(table: str) -> str:
    """One alternation of all phrases of a table."""
    phrases = [phrase.strip() for phrase in _BETWEEN.split(table)]
    return "|".join(f"(?:{phrase})" for phrase in phrases if phrase)


@lru_cache(maxsize=1)
def _words() -> Mapping[str, re.Pattern[str]]:
    tables = (*TOPICS.items(), *OUTSIDE.items(), *FAILURES.items(), *WISHES.items(), *ABSENCES.items())
    return {name: re.compile(rf"(?<![\w-])(?:{_phrases(table)})(?!\w)") for name, table in tables}


@lru_cache(maxsize=1)
def _orders() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(_phrases(table)) for name, table in ORDERS.items()}


def count_signals(text: str) -> Mapping[str, int]:
    """Count the different words of every topic and cue.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Signal name to the number of different matches; only those that occur.
    """
    flat, lines = _SPACES.sub(" ", text).strip(), _BLANKS.sub(" ", text).strip()
    counted = {name: len({found.group() for found in pattern.finditer(flat)}) for name, pattern in _words().items()}
    counted |= {name: len({found.group() for found in pattern.finditer(lines)}) for name, pattern in _orders().items()}
    counted["sharded_training"] = counted["technique"] + counted["mechanism"]
    return {name: number for name, number in counted.items() if number}
