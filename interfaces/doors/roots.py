"""Which files a caller from outside may name: those below the owner's roots, after every link was followed.

Over HTTP there are no roots unless the owner's configuration names some. An MCP server over
stdio runs as the caller and has the folder that it was started in. What is named elsewhere
is refused with the same words, whether or not it exists.
"""

import os
from pathlib import Path
from typing import Any

from contracts.errors import NotAllowed


class Roots:
    """The folders below which a caller may read."""

    def __init__(self, folders: tuple[str, ...], interpreters: tuple[str, ...] = ()) -> None:
        """Keep them with links resolved.

        Args:
            folders: Absolute paths.
            interpreters: Python interpreters that a request may name besides the agent's own.
        """
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in folders)
        self.interpreters = interpreters

    def resolve(self, path: str) -> str:
        """Return the real path of what a caller named.

        Raises:
            NotAllowed: It lies outside, or nothing of that name is inside.
        """
        real = Path("/" if "\0" in path else os.path.realpath(path))
        if any(real == folder or folder in real.parents for folder in self.folders):
            return str(real)
        allowed = ", ".join(map(str, self.folders)) or "none"
        raise NotAllowed(
            f"{path[:300]!r} is not below a folder that may be read from here",
            code="path_outside_roots",
            hint=f"give the content itself, or ask the owner to add a root (server.roots); roots: {allowed}",
        )

    def confine(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return a request's fields with every path resolved.

        Raises:
            NotAllowed: A path lies outside, or the interpreter is not one that the owner listed.
        """
        kept = dict(request)
        for holder, names in (("model", ("path",)), ("data", ("train", "eval")), ("script", ("path",))):
            inner = kept.get(holder)
            if isinstance(inner, dict):
                kept[holder] = {
                    name: self.resolve(value) if name in names and isinstance(value, str) else value
                    for name, value in inner.items()
                }
        if isinstance(kept.get("paths"), list | tuple):
            kept["paths"] = [self.resolve(str(path)) for path in kept["paths"]]
        interpreter = kept.get("interpreter")
        if interpreter is not None and interpreter not in self.interpreters:
            raise NotAllowed(
                f"interpreter {str(interpreter)[:300]!r} is not one that the owner listed",
                code="interpreter_not_allowed",
                hint="leave it out for the agent's own, or ask the owner to add it (server.interpreters)",
            )
        return kept
