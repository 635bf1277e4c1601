"""Which files a caller from outside may name: those below the owner's roots, after every link was followed.

Over HTTP there are no roots unless the owner's configuration names some. An MCP server over
stdio runs as the caller and has the folder that it was started in. What is named elsewhere
is refused with the same words, whether or not it exists.
"""

import os
from pathlib import Path
from typing import Any

from contracts.errors import NotAllowed

_PATHS = {
    "model": ("path",),
    "data": ("train", "eval"),
    "script": ("path", "workdir", "inputs"),
}
"""Fields of a request that name files or folders."""


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

        Args:
            request: The keys of a Request, as a caller gave them.

        Raises:
            NotAllowed: A path lies outside, or the interpreter is not one that the owner listed.
        """
        kept = dict(request)
        for holder, names in _PATHS.items():
            inner = kept.get(holder)
            if isinstance(inner, dict):
                kept[holder] = {
                    name: self._all(value) if name in names and value is not None else value
                    for name, value in inner.items()
                }
        if kept.get("paths"):
            kept["paths"] = self._all(kept["paths"])
        if isinstance(kept.get("model"), dict):
            self._model(kept["model"])
        if isinstance(kept.get("script"), dict):
            self._arguments(kept["script"])
        interpreter = kept.get("interpreter")
        if interpreter is not None and interpreter not in self.interpreters:
            raise NotAllowed(
                f"interpreter {str(interpreter)[:300]!r} is not one that the owner listed",
                code="interpreter_not_allowed",
                hint="leave it out for the agent's own, or ask the owner to add it (server.interpreters)",
            )
        return kept

    def folder(self, path: str) -> str:
        """Return the real path of a folder none of whose files is a link that leads out.

        Raises:
            NotAllowed: It lies outside, or one of its files does.
        """
        real = self.resolve(path)
        if Path(real).is_dir():
            for entry in os.scandir(real):
                if entry.is_symlink():
                    self.resolve(entry.path)
        return real

    def _all(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self.resolve(str(path)) for path in value]
        return self.resolve(str(value))

    def _model(self, model: dict[str, Any]) -> None:
        name = model.get("name")
        if isinstance(name, str) and (name.startswith(("/", "~", ".")) or os.path.lexists(name)):
            raise NotAllowed(f"model.name {name[:200]!r} is a path", code="path_outside_roots", hint="use model.path")
        if isinstance(model.get("path"), str):
            self.folder(model["path"])

    def _arguments(self, script: dict[str, Any]) -> None:
        """Refuse arguments that name a file outside: the launch would read it to bind the approval to it."""
        workdir = Path(str(script.get("workdir") or Path(str(script.get("path") or "/")).parent))
        words = [*(script.get("args") or ()), *(script.get("launcher_args") or ())]
        for word in map(str, words):
            for text in (word, word.partition("=")[2]):
                path = workdir / text
                if text and "\0" not in text and os.path.lexists(path):
                    self.resolve(str(path))
