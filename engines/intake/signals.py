"""Which words a text shows: the vocabulary compiled, and counted."""

import re
from collections.abc import Mapping
from functools import lru_cache

from engines.intake.frames import count_frames
from engines.intake.phrases import phrases
from engines.intake.words_absence import ABSENCES
from engines.intake.words_failure import FAILURES
from engines.intake.words_orders import ORDERS
from engines.intake.words_outside import OUTSIDE
from engines.intake.words_topics import TOPICS
from engines.intake.words_wishes import WISHES

_SPACES = re.compile(r"\s+")
_ENDING = r"(?:'?(?:en|et|er|erne|ene|ens|ets|s|ne))?"
_BLANKS = re.compile(r"[ \t]+")


@lru_cache(maxsize=1)
def _words() -> Mapping[str, re.Pattern[str]]:
    tables = (*OUTSIDE.items(), *FAILURES.items(), *WISHES.items(), *ABSENCES.items())
    plain = {name: re.compile(rf"(?<![\w-])(?:{phrases(table)})(?!\w)") for name, table in tables}
    # Danish puts its article and its plural behind a term: "checkpointet", "ranksene".
    terms = {name: re.compile(rf"(?<![\w-])(?:{phrases(table)}){_ENDING}(?!\w)") for name, table in TOPICS.items()}
    return {**plain, **terms}


@lru_cache(maxsize=1)
def _orders() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(phrases(table)) for name, table in ORDERS.items()}


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
    for name, number in count_frames(lines).items():
        counted[name] = counted.get(name, 0) + number
    counted["sharded_training"] = counted["technique"] + counted["mechanism"]
    return {name: number for name, number in counted.items() if number}
