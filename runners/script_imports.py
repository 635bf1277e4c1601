"""Which files of its own a script imports, read from the text: nothing is run."""

import ast
from collections.abc import Iterator
from pathlib import Path

from contracts.regular import read_whole

_MOST_FILES = 500
_LIMIT_BYTES = 4 << 20


def imported_files(start: Path, roots: list[Path]) -> list[Path]:
    """Return the Python files below some folders to which the imports of a file lead, itself left out.

    Imports in the text count, wherever they stand. What a program computes (importlib, a
    path that it adds) is not seen, nor what is installed.

    Args:
        start: The file.
        roots: Folders that Python searches first: that of the file, and the working folder.

    Returns:
        Absolute paths, sorted, 500 at most.
    """
    found: dict[Path, None] = {}
    todo = [start]
    while todo and len(found) < _MOST_FILES:
        path = todo.pop()
        for root in roots:
            for module in _modules(path, root):
                for file in _files_of(module, root):
                    if file != start and file not in found:
                        found[file] = None
                        todo.append(file)
    return sorted(found)[:_MOST_FILES]


def module_file(module: str, root: Path) -> Path | None:
    """Return the file that `python -m module` would run from a working folder; None where it is not there."""
    place = root.joinpath(*module.split("."))
    for path in (place / "__main__.py", place.with_name(place.name + ".py")):
        if path.is_file():
            return path
    return None


def _modules(path: Path, root: Path) -> Iterator[str]:
    """Yield the dotted names that a file's imports may mean, seen from a root."""
    try:
        tree = ast.parse(read_whole(path, _LIMIT_BYTES))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return  # the review says so
    package = path.parent.relative_to(root).parts if path.is_relative_to(root) else ()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) - node.level + 1]) if node.level else []
            base = [*above, *(node.module or "").split(".")]
            dotted = ".".join(part for part in base if part)
            yield dotted
            yield from (f"{dotted}.{alias.name}" if dotted else alias.name for alias in node.names)


def _files_of(module: str, root: Path) -> Iterator[Path]:
    """Yield the files that an import of a dotted name runs: the packages above it, and itself."""
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        for path in (place / "__init__.py", place.with_name(place.name + ".py")):
            if path.is_file():
                yield path
