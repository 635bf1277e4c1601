"""Edits: lines of a file replaced by others, with everything else left byte by byte."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from contracts.finding import Edit


class EditConflict(ValueError):
    """An edit whose lines are no longer those of the file, or that overlaps another."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied; line ends stay as they are.

    Args:
        text: The file's text, with its own line ends.
        edits: Lines to replace, in any order.

    Raises:
        EditConflict: The lines are others than the edit says, or two edits touch one line.
    """
    lines = text.splitlines(keepends=True)
    end = _line_end(lines)
    below = len(lines) + 2
    for edit in sorted(set(edits), key=lambda edit: (edit.line, len(edit.old)), reverse=True):
        first, last = edit.line - 1, edit.line - 1 + len(edit.old)
        if last >= below or tuple(line.rstrip("\r\n") for line in lines[first:last]) != edit.old:
            raise EditConflict(f"line {edit.line} is not what the edit expects")
        below = first + 1 if edit.old else first
        ends = [line[len(line.rstrip("\r\n")) :] for line in lines[first:last]]
        lines[first:last] = [new + (ends[i] if i < len(ends) and ends[i] else end) for i, new in enumerate(edit.new)]
        if edit.new and ends and not ends[-1]:
            lines[first + len(edit.new) - 1] = edit.new[-1]  # the file's last line had no end
    return "".join(lines)


def unified_diff(path: str, text: str, edits: Sequence[Edit]) -> str:
    """Return what edits change, as `diff -u` writes it.

    Args:
        path: Name of the file.
        text: Its text.
        edits: Lines to replace.

    Raises:
        EditConflict: As `apply_edits`.
    """
    before, after = text.splitlines(), apply_edits(text, edits).splitlines()
    found = difflib.unified_diff(before, after, f"a/{path.lstrip('/')}", f"b/{path.lstrip('/')}", n=2, lineterm="")
    return "\n".join(found)


def _line_end(lines: Sequence[str]) -> str:
    """Return the end that most lines have."""
    crlf = sum(line.endswith("\r\n") for line in lines)
    return "\r\n" if crlf * 2 > len(lines) else "\n"
