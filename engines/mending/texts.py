"""Changed lines of a text, and the diff that a person reads."""

import difflib
from collections.abc import Mapping

from contracts.finding import Edit


def edits_between(old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits that make one text of the other; line ends are the old text's."""
    before, after = old.splitlines(), new.splitlines()
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return tuple(
        Edit(line=first + 1, old=tuple(before[first:last]), new=tuple(after[start:end]))
        for kind, first, last, start, end in steps
        if kind != "equal"
    )


def unified_diff(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return what changes, as `diff -u` writes it, for the files that do.

    Args:
        old: The user's own texts by their paths.
        new: What would run in their place.
    """
    parts: list[str] = []
    for path, text in new.items():
        names = (f"a/{path.lstrip('/')}", f"b/{path.lstrip('/')}")
        parts += difflib.unified_diff(old[path].splitlines(), text.splitlines(), *names, lineterm="")
    return "\n".join(parts)
