"""Sources: the files of a review, found and read within bounds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from contracts.errors import FileUnreadable
from contracts.regular import read_whole
from engines.review.notebook import NotebookUnreadable, code_of_notebook
from engines.review.requirements import is_requirements

SourceKind = Literal["python", "config", "launch", "requirements"]

MAX_SOURCE_BYTES = 4 * 2**20
"""Larger files are generated or data; reading them would tell nothing about a training loop."""
MAX_JSON_BYTES = 2**18
"""JSON files above this are data, not configuration."""
MAX_FILES = 50_000
"""Files that one review reads."""
MAX_SHOWN = 3
"""Links that are named where a folder has more."""

_KINDS: dict[str, SourceKind] = {
    ".py": "python",
    ".ipynb": "python",
    ".yaml": "config",
    ".yml": "config",
    ".toml": "config",
    ".json": "config",
    ".sh": "launch",
    ".bash": "launch",
    ".slurm": "launch",
    ".sbatch": "launch",
}
_SKIPPED = frozenset(
    (
        *(
            ".git",
            ".hg",
            ".svn",
            ".tox",
            ".nox",
            ".venv",
            "venv",
            "env",
            "node_modules",
            "site-packages",
            "__pycache__",
        ),
        *(".mypy_cache", ".ruff_cache", ".pytest_cache", "build", "dist", ".eggs", "wandb"),
    )
)


class Source(NamedTuple):
    """A file that was read."""

    path: str
    kind: SourceKind
    text: str
    cells: Mapping[int, tuple[int, int]] = MappingProxyType({})
    """Of a notebook: the cell of each line, and the line in that."""


class Collection(NamedTuple):
    """What was read, and what could not be."""

    sources: tuple[Source, ...]
    unreadable: tuple[str, ...]
    roots: tuple[str, ...]
    """Folders that were given."""
    links: tuple[str, ...] = ()
    """For each folder with links that lead out of it, how many of them were left out."""


def collect(paths: Sequence[str | Path], excluded: Callable[[str], bool] | None = None) -> Collection:
    """Read the files that are given, and those below the folders that are given.

    A link that is given is followed, and so is one in a folder to a file of the same folder.
    Where there is nothing at all to read, that is an entry of `unreadable`.

    Args:
        paths: Files and folders.
        excluded: Tells for a file below a folder whether it is left out.

    Raises:
        FileUnreadable: A path does not exist.
    """
    sources: list[Source] = []
    unreadable: list[str] = []
    roots: list[str] = []
    links: list[str] = []
    seen: set[str] = set()
    for given in paths:
        path = Path(given)
        if not path.exists():
            raise FileUnreadable(f"{given} does not exist", hint="Give files or folders that exist.")
        roots.extend([str(path)] if path.is_dir() else [])
        outside: list[str] = []
        for name, explicit in _files(path, outside):
            if name in seen or len(seen) >= MAX_FILES or (excluded is not None and not explicit and excluded(name)):
                continue
            seen.add(name)
            try:
                source = _read(name, explicit)
            except OSError as err:
                unreadable.append(f"{name}: {err.strerror or err}")
                continue
            except (NotebookUnreadable, _NotText) as err:
                unreadable.append(f"{name}: {err}")
                continue
            sources.extend([source] if source is not None else [])
        links.extend([_left_out(path, outside)] if outside else [])
    if roots and not sources and not unreadable:
        unreadable.append(f"{', '.join(roots)}: nothing was reviewed, as no file there is one that a review reads")
    return Collection(tuple(sources), tuple(unreadable), tuple(roots), tuple(links))


def _left_out(folder: Path, links: list[str]) -> str:
    count = f"{len(links)} links lead" if len(links) > 1 else "1 link leads"
    shown = ", ".join(links[:MAX_SHOWN]) + (", ..." if len(links) > MAX_SHOWN else "")
    return f"{folder}: {count} out of it, and what is there was not read: {shown}"


def _files(path: Path, outside: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the files of a path, and whether each was given; links that lead out of it go to a list instead."""
    if not path.is_dir():
        yield str(path), True
        return
    top = path.resolve()
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        outside.extend(str(Path(folder) / name) for name in folders if not _stays_in(Path(folder) / name, top))
        for name in sorted(files):
            file = Path(folder) / name
            if Path(name).suffix.lower() not in _KINDS and not is_requirements(name):
                continue
            if _stays_in(file, top):
                yield str(file), False
            else:
                outside.append(str(file))


def _stays_in(file: Path, top: Path) -> bool:
    """Tell whether an entry of a folder is no link that leads out of it."""
    return not file.is_symlink() or Path(os.path.realpath(file)).is_relative_to(top)  # resolve() raises for a circle


class _NotText(ValueError):
    """A file that is no text, or too much of it."""


def _read(name: str, explicit: bool) -> Source | None:
    """Read a file; None where a folder's file does not concern a review."""
    path = Path(name)
    suffix = path.suffix.lower()
    size = path.stat().st_size
    if suffix == ".json" and not explicit and size > MAX_JSON_BYTES:
        return None
    if size > MAX_SOURCE_BYTES:
        raise _NotText(f"{size} bytes are more than the {MAX_SOURCE_BYTES} that are read")
    data = read_whole(path, MAX_SOURCE_BYTES)
    if b"\x00" in data[:8192]:
        raise _NotText("a binary file")
    text = decode(data)
    kind = kind_of(name, text)
    if suffix == ".json" and not explicit and "fsdp" not in text:
        return None
    if suffix == ".ipynb":
        code = code_of_notebook(text)
        return Source(name, kind, code.text, code.cells)
    return Source(name, kind, text)


def decode(data: bytes) -> str:
    """Return bytes as text: UTF-8, with or without a mark, else Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _by_content(text: str) -> SourceKind:
    """Tell what a file without a known ending is."""
    first = text.partition("\n")[0]
    if first.startswith("#!") and "python" not in first:
        return "launch"
    return "launch" if "#SBATCH" in text[:4096] else "python"


def kind_of(name: str, text: str) -> SourceKind:
    """Tell what a file is by its name, else by its text."""
    if is_requirements(name) and "[parallelism]" not in text:
        return "requirements"
    return _KINDS.get(Path(name).suffix.lower()) or _by_content(text)
