"""The kept lines of what was read as one lower-case text in which signs are looked for, and the way back to them."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from engines.diagnosis.by_route import as_told
from engines.diagnosis.cause import compiled
from engines.diagnosis.line import Line
from engines.diagnosis.timeline import ERROR, TROUBLE

_PLACES_MAX = 40
_LONG_LINES, _FAR_FROM_TROUBLE_LINES = 30, 15
_AROUND_LINES = 8
_ERROR_LOW = re.compile(ERROR.pattern, re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:no|without)\s$")
WORDS_OF_A_STORY = 12
"""Words besides a launcher's banner from which somebody tells something."""
_WORDS_LEAST = 2
WORD = re.compile(r"[a-z]{3,}")
"""A word, in lower case."""
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
    def plain(self) -> str:
        """The text without the banner of a launcher; of a long one what stands around the first trouble."""
        lines = [line for line in self.low.split("\n") if not _is_banner(line)]
        first = next((number for number, line in enumerate(lines) if _ERROR_LOW.search(line)), None)
        if first is None or len(lines) <= _LONG_LINES:
            return "\n".join(lines)
        return "\n".join(lines[max(0, first - _AROUND_LINES) : first + _AROUND_LINES])


def _is_banner(line: str) -> bool:
    """Tell whether a line is of a launcher's banner; a person's sentence about it is longer."""
    return any(word in line for word in _BANNER) and len(WORD.findall(line)) <= WORDS_OF_A_STORY


def says_something(plain: str) -> bool:
    """Tell whether there are words that may be like a card's; numbers and data are like nothing."""
    if len(WORD.findall(plain)) < _WORDS_LEAST:
        return False
    try:
        data = json.loads(plain)
    except (ValueError, RecursionError):
        return True
    texts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else (data,)
    return any(len(WORD.findall(text)) >= _WORDS_LEAST for text in texts if isinstance(text, str))
