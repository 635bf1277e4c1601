"""Foreign text in Markdown: shown as it is, never as markup."""

import re
from collections.abc import Iterable, Sequence

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~!])")


def plain(text: str, limit: int = 2000) -> str:
    """Return text on one line with every mark of Markdown and HTML made harmless.

    Args:
        text: Anything.
        limit: Characters kept.
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return _MARKUP.sub(r"\\\1", _CONTROL.sub("", " ".join(cut.split())))


def code(text: str) -> str:
    """Return text as inline code, on one line."""
    flat = _CONTROL.sub("", " ".join(text.split()))
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}" if flat else "(empty)"


def block(lines: Iterable[str]) -> str:
    """Return lines as a fenced block that no line of it can close."""
    body = [_CONTROL.sub("", line) for text in lines for line in text.splitlines() or [""]]
    longest = max((len(run) for line in body for run in re.findall(r"`{3,}", line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([f"{fence}text", *body, fence])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *([_BARE_PIPE.sub(r"\|", cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
