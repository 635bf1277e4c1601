"""The matrix as a table of `docs/crash-matrix.md`.

    python -m tests.flows.matrix.page

rewrites the table there, between its two marks.
"""

from pathlib import Path

from tests.flows.matrix.rows import ROWS
from tests.marked_page import renewed

PAGE = Path(__file__).parents[3] / "docs" / "crash-matrix.md"
BEGIN, END = "<!-- crash matrix: begin -->\n", "<!-- crash matrix: end -->\n"


def table() -> str:
    """Return the table in Markdown."""
    lines = ["| what is done | what happens | starts |", "| --- | --- | --- |"]
    for row in ROWS:
        starts = f"{row.starts}{', the last by a person' if row.resumed else ''}"
        lines.append(f"| {row.done} | {row.then} | {starts} |")
    return "\n".join(lines) + "\n"


def page(before: str) -> str:
    """Return a page with the table in it anew.

    Raises:
        ValueError: The page has no marks.
    """
    return renewed(before, BEGIN, END, table())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
