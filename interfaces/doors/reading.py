"""Content that came with the call, laid into a folder of its own for as long as it is read."""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contracts.errors import InputError

_NAME = re.compile(r"\w[\w. -]*")  # letters of any alphabet
_NAME_BYTES = 200
_DEPTH = 8


@contextmanager
def laid_out(files: Mapping[str, str]) -> Iterator[Path]:
    """Write files into a fresh folder, readable by this user alone, and take it away at the end.

    Args:
        files: Content by name; a name may have folders in it, and none that leads out.

    Raises:
        InputError: A name is no plain relative path.
    """
    folder = Path(tempfile.mkdtemp(prefix="fsdp-agent-"))
    try:
        for name, content in files.items():
            parts = name.split("/")
            if len(parts) > _DEPTH or not all(map(_is_plain, parts)):
                raise InputError(
                    f"{name[:120]!r} is no name for a file", hint="letters, digits, . _ - and /, such as src/train.py"
                )
            path = folder.joinpath(*parts)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8", errors="replace")
            except OSError:
                raise InputError(f"{name[:120]!r} is a folder and a file at once") from None
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_plain(part: str) -> bool:
    return _NAME.fullmatch(part) is not None and len(part.encode()) <= _NAME_BYTES


def names_restored(result: Any, folder: Path) -> Any:
    """Return a result in which the files have the names under which they came."""
    if isinstance(result, str):
        return result.replace(f"{folder}/", "")
    if isinstance(result, dict):
        return {key: names_restored(value, folder) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [names_restored(entry, folder) for entry in result]
    return result
