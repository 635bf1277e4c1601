"""Notebooks: the Python in their cells, with lines kept where the file has them."""

import json
from typing import Any, NamedTuple


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
    for cell, number, line in _code_lines(cells):
        target = _next_place(places, line, len(code))
        code.extend([""] * (target - len(code)))
        code.append(_plain(line))
        found[len(code)] = (cell, number)
    return Code("\n".join(code) + "\n", found)


def _code_lines(cells: list[Any]) -> list[tuple[int, int, str]]:
    """Return each line of code with the numbers of its cell and of itself in that."""
    lines: list[tuple[int, int, str]] = []
    for place, cell in enumerate(cells, start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            whole = "".join(str(part) for part in source) if isinstance(source, list) else str(source)
            lines.extend((place, number, line) for number, line in enumerate(whole.splitlines(), start=1))
    return lines


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
