"""Weighs the signs of each cause against a text, adds what is known besides, and ranks the causes."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from engines.diagnosis.by_route import as_told
from engines.diagnosis.cause import CauseRule, Sign, compiled
from engines.diagnosis.clue import Clue
from engines.diagnosis.likeness import known
from engines.diagnosis.line import Line
from engines.diagnosis.quantities import weight_of
from engines.diagnosis.timeline import ERROR, TROUBLE
from engines.diagnosis.wording import holds_in

TELLING = 3.0
"""A cause with hints only, or with likeness only, is no diagnosis."""

_NEAR_CHARS, _FAR_CHARS = 700, 2000  # words that stand further apart say less together
_FAR_FACTOR, _VERY_FAR_FACTOR = 0.5, 0.2
_PLACES_MAX = 40
_LONG_LINES, _FAR_FROM_TROUBLE_LINES, _FAR_FROM_TROUBLE_FACTOR = 30, 15, 0.4
_AROUND_LINES = 8
_ERROR_LOW = re.compile(ERROR.pattern, re.IGNORECASE)
_FALLBACK_FACTOR = 0.25
_FALLBACK_BESIDE_WORDS_FACTOR, _FALLBACK_ABOVE = 0.3, 1.0
_LIKENESS_BELOW = 6.0  # with this much from signs, likeness to known reports is not asked
_LIKENESS_FACTOR = 10.0  # texts of one cause have a cosine of 0.2 to 0.5
_OTHER_VERSION_FACTOR = 0.5
_LOOKED_AT = 10
_NEGATED = re.compile(r"\b(?:no|without)\s$")
_WORDS_OF_A_STORY = 12  # words besides a launcher's banner from which somebody tells something
_WORDS_LEAST = 2
_WORD = re.compile(r"[a-z]{3,}")
_LIBRARY_FRAME = re.compile(
    r'File "[^"]*(?:site-packages|dist-packages|lib/python3|<frozen)[^"]*", line \d+,? in (\S+)'
)
"""Where a library is installed says nothing of a cause, and its path holds many a telling word."""
_NOT_CODE = re.compile(
    r'File "|[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)\b|\[|[A-Z]\d{4}|.*\b(?:error|warn)', re.IGNORECASE
)
"""What may follow a frame of a library but is not the line of code that it shows."""
_PLACE = re.compile(r'((?:File "|of binary: |^))(?:/[^/"\n]+)+/(?=[^/"\n]+(?:", line| FAILED$|$))')
"""Nor does the folder in which a script lies."""
_BANNER = (
    "childfailederror", "exitcode", "error_file", "closing signal", "traceback : to enable", "root cause (first",
    "(local_rank", "failures:", "<no_other_failures>", " failed", "time      :", "host      :", "=====", "-----",
)  # fmt: skip


@dataclass
class Text:
    """The kept lines as one lower-case text, and the way back to them."""

    lines: list[Line]
    """The lines."""
    low: str = ""
    """Their text in lower case, a line's end between them."""
    starts: list[int] = field(default_factory=list)
    """Where each line begins."""
    found: dict[str, list[int]] = field(default_factory=dict)
    """Places of patterns that were looked for."""
    troubles: list[int] = field(default_factory=list)
    """Numbers of the lines of trouble, of a text that is long enough to hold much else."""

    def __post_init__(self) -> None:
        """Join the lines."""
        parts, at, in_library = [], 0, False
        for line in self.lines:
            text = "" if in_library and not _NOT_CODE.match(line.text) else line.text
            in_library = _LIBRARY_FRAME.search(line.text) is not None
            part = as_told(_PLACE.sub(r"\1", _LIBRARY_FRAME.sub(r"in \1", text)))
            part = " ".join(part.lower().split())
            self.starts.append(at)
            parts.append(part)
            at += len(part) + 1
        self.low = "\n".join(parts)
        if len(self.lines) > _LONG_LINES:
            self.troubles = [number for number, line in enumerate(self.lines) if TROUBLE.search(line.text)]

    def far_from_trouble(self, at: list[int]) -> bool:
        """Tell whether all places are far from every line of trouble: what a log said at its start explains little."""
        if not self.troubles:
            return False
        numbers = [bisect_right(self.starts, place) - 1 for place in at]
        nearest = (
            abs(self.troubles[near] - number)
            for number in numbers
            for near in (bisect_left(self.troubles, number), bisect_left(self.troubles, number) - 1)
            if 0 <= near < len(self.troubles)
        )
        return min(nearest) > _FAR_FROM_TROUBLE_LINES

    def where(self, part: str) -> list[int]:
        """Return where a pattern is found, the first places of many; "no X" and "without X" are no X."""
        if part not in self.found:
            self.found[part] = list(islice(self._present(part), _PLACES_MAX))
        return self.found[part]

    def _present(self, part: str) -> Iterator[int]:
        pattern, at = compiled(part), 0
        while (match := pattern.search(self.low, at)) is not None:
            start = match.start()
            if _NEGATED.search(self.low, max(0, start - 9), start):
                at = start + 1
            else:
                yield start
                at = max(match.end(), start + 1)

    def line_at(self, position: int) -> Line:
        """Return the line in which a place is."""
        return self.lines[bisect_right(self.starts, position) - 1]

    @property
    def raw(self) -> str:
        """The text as it was written."""
        return "\n".join(" ".join(line.text.split()) for line in self.lines)

    @property
    def short(self) -> str:
        """All of a short text; of a long one what stands around the first trouble."""
        return self.low if len(self.lines) <= _LONG_LINES else self.plain

    @property
    def plain(self) -> str:
        """The text without the banner of a launcher; of a long one what stands around the first trouble."""
        lines = [line for line in self.low.split("\n") if not _is_banner(line)]
        first = next((number for number, line in enumerate(lines) if _ERROR_LOW.search(line)), None)
        if first is None or len(lines) <= _LONG_LINES:
            return "\n".join(lines)
        return "\n".join(lines[max(0, first - _AROUND_LINES) : first + _AROUND_LINES])


def _is_banner(line: str) -> bool:
    """Tell whether a line is of a launcher's banner; a person's sentence about it is longer."""
    return any(word in line for word in _BANNER) and len(_WORD.findall(line)) <= _WORDS_OF_A_STORY


@dataclass
class Score:
    """What speaks for one cause."""

    rule: CauseRule
    """The cause."""
    total: float = 0.0
    """All weights together."""
    strongest: float = 0.0
    """The largest weight."""
    like: float = 0.0
    """How much of the total is likeness to known reports."""
    places: list[int] = field(default_factory=list)
    """Where its signs are in the text."""
    clues: list[Clue] = field(default_factory=list)
    """What is known besides the text."""


def ranked(
    text: Text, rules: Sequence[CauseRule], torch: str | None, clues: Iterable[Clue], known_as: str | None = None
) -> list[Score]:
    """Return the causes that something speaks for, best first.

    Args:
        text: The text.
        rules: Causes to choose from.
        torch: Version of torch that was in use; causes that do not exist in it count less.
        clues: What is known besides the text.
        known_as: Cause for whose report the text is known; likeness to itself is left out.
    """
    by_cause = {rule.cause: _score(rule, text) for rule in rules}
    for clue in clues:
        counts = not clue.where or bool(text.where(clue.where))
        if counts and (score := by_cause.get(clue.cause)) is not None:
            score.total += clue.weight
            score.strongest = max(score.strongest, clue.weight)
            score.clues.append(clue)
    plain = text.plain if text.low.strip() else ""
    if _says_something(plain) and max((score.total for score in by_cause.values()), default=0.0) < _LIKENESS_BELOW:
        # One weak sign more: the likeness to what others told. What speaks against a cause still counts.
        for cause, like in known().of(text.short, known_as).items():
            if cause in by_cause:
                by_cause[cause].like = _LIKENESS_FACTOR * like
                by_cause[cause].total += by_cause[cause].like
    scores = [score for score in by_cause.values() if score.total > 0]
    _lower_fallbacks(scores, words=len(_WORD.findall(plain)))
    scores.sort(key=lambda score: (-score.total, score.rule.cause))
    if torch is not None:
        for score in scores[:_LOOKED_AT]:
            if not holds_in(score.rule.card, torch):
                score.total *= _OTHER_VERSION_FACTOR
    return sorted(scores, key=lambda score: (-score.total, score.rule.cause))


def _says_something(plain: str) -> bool:
    """Tell whether there are words that may be like a card's; numbers and data are like nothing."""
    if len(_WORD.findall(plain)) < _WORDS_LEAST:
        return False
    try:
        data = json.loads(plain)
    except (ValueError, RecursionError):
        return True
    texts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else (data,)
    return any(len(_WORD.findall(text)) >= _WORDS_LEAST for text in texts if isinstance(text, str))


def places(sign: Sign, text: Text) -> list[int] | None:
    """Return the places of a sign's parts where they stand nearest to each other; None if one is missing."""
    found = []
    for part in sign.parts:
        if not (at := text.where(part)):
            return None
        found.append(at)
    best: list[int] = []
    for anchor in min(found, key=len):
        near = [min(at, key=lambda place: abs(place - anchor)) for at in found]
        if not best or max(near) - min(near) < max(best) - min(best):
            best = near
    return best


def _score(rule: CauseRule, text: Text) -> Score:
    score = Score(rule)
    for sign in rule.signs:
        at = places(sign, text)
        if at is None:
            continue
        weight = sign.weight * _nearness(max(at) - min(at))
        weight *= _FAR_FROM_TROUBLE_FACTOR if weight > 0 and text.far_from_trouble(at) else 1.0
        score.total += weight
        if weight > 0:
            score.strongest = max(score.strongest, weight)
            score.places += at
    if rule.quantity is not None:
        added = weight_of(rule.quantity, text.low)
        score.total += added if score.total > 0 else min(added, 0.0)
        score.strongest = max(score.strongest, added)
    return score


def _nearness(distance_chars: int) -> float:
    if distance_chars <= _NEAR_CHARS:
        return 1.0
    return _FAR_FACTOR if distance_chars <= _FAR_CHARS else _VERY_FAR_FACTOR


def _lower_fallbacks(scores: list[Score], words: int) -> None:
    """Let what says only that something else failed first give way to anything that says more."""
    others = [score for score in scores if not score.rule.fallback]
    told = any(min(score.strongest, score.total - score.like) >= TELLING for score in others)
    hinted = any(
        score.total - score.like > _FALLBACK_ABOVE and (score.places or words > _WORDS_OF_A_STORY) for score in others
    )
    factor = _FALLBACK_FACTOR if told else _FALLBACK_BESIDE_WORDS_FACTOR if hinted else 1.0
    for score in scores:
        if score.rule.fallback and (told or not score.clues):
            score.total *= factor
