"""What CUDA running out of memory excludes: causes of other failures, unless their own message is there."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engines.diagnosis.cause import OOM, CauseRule
from engines.diagnosis.quantities import filled

if TYPE_CHECKING:
    from engines.diagnosis.scoring import Score

SAID = re.compile(r"outofmemoryerror|\bcuda out of memory|\bcuda error: out of memory|hip out of memory")
"""The exception's name or its message, in lower case; a person's word for it is less."""

_OWN_MESSAGE = 3.0
"""Weight of a sign from which a cause has a message of its own."""
_TOLD_OTHERWISE = 2.0
"""Weight from which signs name another cause why memory ran out."""
_NUMBERS_SAY_SO = 4.0
_LIKE_FACTOR = 0.25
"""Reports of all memory causes hold the same message, so that likeness to one of them says little."""
_MEMORY_QUANTITIES = ("fragmentation", "outside_allocator", "filled", "gathered_whole")
_FULL = "memory-exceeds-gpu"


def keep_to_memory(scores: Iterable["Score"], text: str) -> None:
    """Change scores where CUDA ran out of memory: a full card is the cause where nothing names another.

    Args:
        scores: Scores of the causes, which are changed.
        text: Lower-case text.
    """
    if SAID.search(text) is None:
        return
    scores = list(scores)
    full = filled(text) > 0
    for score in scores:
        if score.strongest < _OWN_MESSAGE and (score.rule.fallback or not _is_of_memory(score.rule)):
            score.total = 0.0
        elif full:
            score.total -= (1 - _LIKE_FACTOR) * score.like
            score.like *= _LIKE_FACTOR
    if not full:
        return
    named = max((score.total - score.like for score in scores if score.rule.cause != _FULL), default=0.0)
    for score in scores:
        if score.rule.cause == _FULL and score.total > 0 and named < _TOLD_OTHERWISE:
            score.total = max(score.total, _NUMBERS_SAY_SO)
            score.strongest = max(score.strongest, _OWN_MESSAGE)


def _is_of_memory(rule: CauseRule) -> bool:
    """Tell whether a cause is one of memory: a sign for it says that it ran out, or numbers of the message decide."""
    return rule.quantity in _MEMORY_QUANTITIES or any(
        sign.weight > 0 and any(OOM in part for part in sign.parts) for sign in rule.signs
    )
