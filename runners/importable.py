"""What Python could import from a folder: code that comes to lie there may run in the place of what is installed.

Standard library only, for the supervisor asks before every start.
"""

import importlib.machinery
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

_SUFFIXES = tuple(importlib.machinery.all_suffixes())
_DEEPEST = 3
"""Folders below one another in which code makes the uppermost a package, with or without an `__init__.py`."""
_MOST_ENTRIES = 20_000


def importable_entries(folder: str) -> list[str]:
    """Return what an import finds in a folder: modules, extensions, and folders with code in them.

    A module and a package of one name are two entries, for Python takes the package.

    Args:
        folder: A folder that Python searches before what is installed, or a package.

    Returns:
        Their names, sorted, those of folders with a slash at the end. A folder without code, such
        as one of checkpoints, is none.

    Raises:
        OSError: The folder cannot be read.
    """
    found = []
    for entry in _entries(folder):
        if _is_code(entry):
            found.append(entry.name)
        elif _may_be_package(entry) and _has_code(entry.path, _DEEPEST):
            found.append(f"{entry.name}/")
    return sorted(found)


def shadowing_files(folder: Path) -> list[Path]:
    """Return the modules of a folder that bear the name of one of the standard library, which they replace."""
    return sorted(folder / f"{name}.py" for name in sys.stdlib_module_names if (folder / f"{name}.py").is_file())


def newcomer(known: object) -> str | None:
    """Name what can be imported now and could not when a launch was written.

    Args:
        known: Entries by folder, as the launch has them; data that may be anything.

    Returns:
        A phrase; None where there is nothing new.
    """
    if not isinstance(known, Mapping):
        return "the list of what can be imported cannot be read"
    for folder, entries in known.items():
        if not isinstance(folder, str) or not isinstance(entries, Iterable):
            return "the list of what can be imported cannot be read"
        try:
            added = sorted(set(importable_entries(folder)) - set(entries))
        except (OSError, ValueError) as error:
            return f"{folder} cannot be read ({error})"
        if added:
            path = os.path.join(folder, added[0])  # noqa: PTH118 - text from a launch
            return f"{path} was not there when this was planned, and imports may lead to it"
    return None


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as found:
        return [entry for entry, _ in zip(found, range(_MOST_ENTRIES), strict=False)]


def _is_code(entry: "os.DirEntry[str]") -> bool:
    return entry.name.endswith(_SUFFIXES) and not entry.is_dir()


def _may_be_package(entry: "os.DirEntry[str]") -> bool:
    return entry.name.isidentifier() and entry.name != "__pycache__" and entry.is_dir()


def _has_code(folder: str, deepest: int) -> bool:
    """Whether a folder is a package, or one above a package."""
    try:
        below = _entries(folder)
    except OSError:
        return True  # who cannot look must assume it
    if any(_is_code(entry) for entry in below):
        return True
    return deepest > 1 and any(_may_be_package(entry) and _has_code(entry.path, deepest - 1) for entry in below)
