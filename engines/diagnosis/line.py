"""A log line: shortened, without escapes and control characters, with the rank that its prefixes name."""

import re
from typing import NamedTuple

from engines.diagnosis.prefixes import split_prefix

LINE_CHARS_MAX = 4000
"""Characters of a line that are kept, half of them from its end."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


class Line(NamedTuple):
    """A line that was kept."""

    file: str
    """Path as given; `<stdin>` for standard input."""
    number: int
    """1-based."""
    rank: str | None
    """Rank of its prefix or of its file, as digits."""
    text: str
    """Its text without the prefix, escapes and control characters."""

    @property
    def told(self) -> str:
        """The line with its place and rank."""
        rank = f", rank {self.rank}" if self.rank is not None else ""
        return f"{self.file}:{self.number}{rank}: {self.text[:400]}"


def clean(raw: bytes, actors: dict[str, str] | None = None) -> tuple[str | None, str]:
    """Return the rank of a line's prefix, and its text shortened and without control characters.

    Args:
        raw: The line as it stands in the file.
        actors: Ranks of Ray's workers that are known; it is added to.
    """
    text = raw[: 4 * LINE_CHARS_MAX].decode("utf-8", "replace")
    if len(raw) > 4 * LINE_CHARS_MAX:
        text += raw[-2 * LINE_CHARS_MAX :].decode("utf-8", "replace")
    text = _CONTROLS.sub(" ", _ESCAPES.sub("", text)).strip()
    if len(text) > LINE_CHARS_MAX:
        half = LINE_CHARS_MAX // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return split_prefix(text, actors)
