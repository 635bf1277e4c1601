"""Notebooks: the Python in their cells, with lines kept where the file has them."""

import json
from typing import Any, NamedTuple

_ROUND_PYTHON = ("time", "timeit", "capture", "prun", "python", "python3", "pypy")
"""Cell magics below which there is Python."""


class NotebookUnreadable(ValueError):
    """A .ipynb file that is no notebook."""


class Code(NamedTuple):
    """The Python of a notebook."""

    text: str
    """All cells, one after the other."""
    cells: dict[int, tuple[int, int]]
    """For each 1-based line of the text: its cell, counted from 1 with those of prose, and its line in that."""


def code_of_notebook(text: str) -> Code:
    """Return a notebook's code with each line on the line of the file that holds it.

    A notebook holds one string for each line of code, as a rule on a line of its own, so
    findings can point into the file. Where it does not, lines follow each other.

    Raises:
        NotebookUnreadable: The text is no JSON or no notebook.
    """
    try:
        notebook: Any = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise NotebookUnreadable(f"no notebook: {err}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NotebookUnreadable("no notebook: it has no list of cells")
    places = _places(text)
    code: list[str] = []
    found: dict[int, tuple[int, int]] = {}
    for cell, number, line, python in _code_lines(cells):
        target = _next_place(places, line, len(code))
        code.extend([""] * (target - len(code)))
        code.append(python)
        found[len(code)] = (cell, number)
    return Code("\n".join(code) + "\n", found)


def _code_lines(cells: list[Any]) -> list[tuple[int, int, str, str]]:
    """Return each line of code with the numbers of its cell and of itself in that: as it is written, and its Python."""
    lines: list[tuple[int, int, str, str]] = []
    for place, cell in enumerate(cells, start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            whole = "".join(str(part) for part in source) if isinstance(source, list) else str(source)
            written = whole.splitlines()
            pairs = zip(written, _python(written), strict=True)
            lines.extend((place, number, line, python) for number, (line, python) in enumerate(pairs, start=1))
    return lines


def _python(lines: list[str]) -> list[str]:
    """Blank out what is no Python in a cell: all of one in another language, commands with the lines that they take."""
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%") and first[2:].partition(" ")[0] not in _ROUND_PYTHON:
        return ["" for _ in lines]
    plain: list[str] = []
    runs_on = False
    for line in lines:
        command = line.lstrip().startswith(("%", "!", "?"))
        plain.append("" if runs_on else _plain(line))
        runs_on = (runs_on or command) and line.rstrip().endswith("\\")
    return plain


def _places(text: str) -> dict[str, list[int]]:
    """Return the 0-based lines of the file for each JSON string that fills a line."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip().rstrip(",")
        if stripped.startswith('"') and stripped.endswith('"'):
            places.setdefault(stripped, []).append(number)
    return places


def _next_place(places: dict[str, list[int]], line: str, at_least: int) -> int:
    for form in (
        json.dumps(line + "\n", ensure_ascii=False),
        json.dumps(line, ensure_ascii=False),
        json.dumps(line + "\n"),
    ):
        for number in places.get(form, ()):
            if number >= at_least:
                return number
    return at_least


def _plain(line: str) -> str:
    """Blank out magics and shell escapes, which are no Python."""
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    return f"{indent}pass  # {stripped}" if stripped.startswith(("%", "!", "?")) else line
