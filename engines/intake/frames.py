"""Meaning by pairs: two groups of words within one clause, in any order.

A phrase catches one wording; "the loss sits at 10", "hovering around 11.2, that loss" and "our loss
has not moved" have in common a metric and a standstill. A frame names the two groups and how far
apart they may stand; `words_frames` is the data.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engines.intake.phrases import phrases
from engines.intake.words_frames import FRAMES, Frame

_CLAUSES = re.compile(r"(?<!\bpr)(?<!\bca)(?<!\bmax)(?<!\bapprox)[.;!?]+(?=[\s\"')]|$)|\n")


@dataclass(frozen=True)
class _Compiled:
    """A frame with its patterns."""

    frame: Frame
    first: re.Pattern[str]
    second: re.Pattern[str]
    unless: re.Pattern[str] | None

    def shown(self, clause: str) -> bool:
        """Whether a word of each group stands near enough to one of the other."""
        seconds = [found.span() for found in self.second.finditer(clause)]
        if not seconds or (self.unless and self.unless.search(clause)):
            return False
        near = self.frame.near
        return any(
            0 <= begin - found.end() <= near or 0 <= found.start() - end <= near
            for found in self.first.finditer(clause)
            for begin, end in seconds
        )


@lru_cache(maxsize=1)
def _frames() -> tuple[_Compiled, ...]:
    def words(table: str) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{phrases(table)})(?!\w)")

    return tuple(
        _Compiled(frame, words(frame.first), words(frame.second), words(frame.unless) if frame.unless else None)
        for frame in FRAMES
    )


def count_frames(text: str) -> Mapping[str, int]:
    """Count the clauses in which each frame's two groups meet.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Signal name to number of clauses; only those that occur.
    """
    counted: dict[str, int] = {}
    clauses = _CLAUSES.split(text)
    for compiled in _frames():
        places = [text] if compiled.frame.anywhere else clauses
        if number := sum(compiled.shown(place) for place in places):
            counted[compiled.frame.signal] = counted.get(compiled.frame.signal, 0) + number
    return counted
