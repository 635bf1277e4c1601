"""A word that is no command where it was typed, and is one elsewhere: `jobs reconcile`, `list`."""

import re
from collections.abc import Iterator
from typing import Any

_MISSING = re.compile(r"No such command '([^']+)'")


def meant(error: Any) -> str:
    """Return the commands of that name, as a question; empty where there are none, or the error is another one.

    A word that is only spelled like a command is typer's to find.

    Args:
        error: The usage error, with the context in which it arose.
    """
    found, context = _MISSING.search(error.format_message()), getattr(error, "ctx", None)
    if found is None or context is None:
        return ""
    same = [" ".join(("fsdp-agent", *path)) for path in _paths(context.find_root().command) if path[-1] == found[1]]
    return f"did you mean: {', '.join(same)}" if same else ""


def _paths(group: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in getattr(group, "commands", {}).items():
        yield (*above, name)
        yield from _paths(command, (*above, name))
