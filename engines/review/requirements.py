"""Requirements: which versions a project pins, in requirements, lock and project files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from engines.review.versions import Version, parse_version

_NAMES = re.compile(
    r"^(requirements.*\.txt|constraints.*\.txt|pyproject\.toml|uv\.lock|poetry\.lock|pdm\.lock|environment\.ya?ml)$"
)
_PINNED = re.compile(r"""(?:^|["'\s])(torch|accelerate|transformers)\s*(?:==|~=|=)\s*["']?v?(\d+(?:\.\d+)+)""")
_LOCKED = re.compile(r"""^name = ["'](torch|accelerate|transformers)["']\s*$""")
_LOCKED_VERSION = re.compile(r"""^version = ["'](\d+(?:\.\d+)+)""")


class Pin(NamedTuple):
    """A version that a file fixes."""

    version: Version
    line: int


@dataclass
class Requirements:
    """The pins of one file, and whether the review uses FSDP2 through accelerate."""

    path: str
    pins: dict[str, Pin] = field(default_factory=dict)
    fsdp2_by_accelerate: bool = False


def is_requirements(path: str) -> bool:
    """Tell whether a file is one that pins versions, by its name."""
    return bool(_NAMES.match(PurePath(path).name))


def read_requirements(path: str, text: str) -> Requirements:
    """Read the pins of a file; lower and upper bounds are no pins."""
    found = Requirements(path)
    for name, version, line in (*_plain(text), *_locked(text)):
        found.pins.setdefault(name, Pin(parse_version(version), line))
    return found


def _plain(text: str) -> Iterator[tuple[str, str, int]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith("#"):
            for match in _PINNED.finditer(line):
                yield match[1], match[2], number


def _locked(text: str) -> Iterator[tuple[str, str, int]]:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        name = _LOCKED.match(line)
        version = _LOCKED_VERSION.match(lines[number]) if name is not None and number < len(lines) else None
        if name is not None and version is not None:
            yield name[1], version[1], number + 1


def pinned_torch(files: Iterable[Requirements]) -> Version | None:
    """Return the version of torch on which all files agree, None for none or several."""
    versions = {file.pins["torch"].version for file in files if "torch" in file.pins}
    return versions.pop() if len(versions) == 1 else None
