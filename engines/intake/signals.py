"""Which words a text shows: the vocabulary compiled, and counted."""

import re
from collections.abc import Mapping
from functools import lru_cache

from engines.intake.words_cues import CUES
from engines.intake.words_topics import TOPICS

_UNBOUNDED = frozenset({"question", "question_start", "run", "do"})
"""Cues that bring their own boundaries."""


@lru_cache(maxsize=1)
def _compiled() -> Mapping[str, re.Pattern[str]]:
    patterns = {}
    for name, words in (*TOPICS.items(), *CUES.items()):
        body = "|".join(words)
        bounded = body if name in _UNBOUNDED else rf"(?<![\w-])(?:{body})(?![\w])"
        patterns[name] = re.compile(bounded, re.MULTILINE if name in ("run", "do") else 0)
    return patterns


def count_signals(text: str) -> Mapping[str, int]:
    """Count the different words of every topic and cue.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Signal name to the number of different matches; only those that occur.
    """
    counted = {name: len({found.group() for found in pattern.finditer(text)}) for name, pattern in _compiled().items()}
    return {name: number for name, number in counted.items() if number}
