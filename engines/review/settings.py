"""Settings: `[tool.fsdp-agent.review]` of the pyproject.toml that belongs to what is reviewed."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from contracts.errors import RequestInvalid
from contracts.regular import read_whole
from contracts.review import ReviewSettings

FILE = "pyproject.toml"
MAX_BYTES = 4 << 20
"""Larger files are no pyproject.toml."""
MAX_LEVELS = 24
"""Folders above the first path that are looked through."""


def settings_file(paths: Sequence[str | Path]) -> Path | None:
    """Return the nearest pyproject.toml that has the section, from the first path (else from here) upwards.

    Args:
        paths: What is reviewed.
    """
    start = Path(paths[0] if paths else ".").absolute()
    for folder in [start, *start.parents][:MAX_LEVELS]:
        file = folder / FILE
        if file.is_file() and _section(file) is not None:
            return file
        if (folder / ".git").exists():
            return None
    return None


def read_settings(file: Path) -> ReviewSettings:
    """Return the settings of a pyproject.toml; the defaults where it has none.

    Args:
        file: The pyproject.toml.

    Raises:
        RequestInvalid: The section has a key that is not known, or a value of the wrong kind.
    """
    try:
        return ReviewSettings.model_validate(_section(file) or {})
    except ValidationError as err:
        first = err.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        known = ", ".join(ReviewSettings.model_fields)
        raise RequestInvalid(
            f"{file}: tool.fsdp-agent.review.{key}: {first['msg']}", hint=f"Known keys: {known}."
        ) from None


def _section(file: Path) -> dict[str, object] | None:
    """Return the section, None where there is none; a file that is no TOML is somebody else's trouble."""
    try:
        whole = tomllib.loads(read_whole(file, MAX_BYTES).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return None
    section = whole.get("tool", {}).get("fsdp-agent", {}).get("review")
    return section if isinstance(section, dict) else None
