"""Where an answer goes: one JSON object, or text for a person."""

import json
import sys
from functools import cached_property
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from interfaces.cli.text import visible

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console
    from rich.table import Table

_PIPE_WIDTH_COLUMNS = 100
_GAP_COLUMNS = 3
"""Blanks between two columns of a table."""
_EDGES_COLUMNS = 2


class Output:
    """The two streams of one command.

    With `--json`, stdout carries one JSON object and nothing else. Progress and messages
    go to stderr then, and to stdout otherwise.
    """

    def __init__(self, *, as_json: bool) -> None:
        """Choose the form.

        Args:
            as_json: Whether a program reads stdout.
        """
        self.as_json = as_json

    def answer(self, value: "BaseModel | dict[str, Any]") -> None:
        """Print the answer as JSON on one line, in ASCII, so that no terminal obeys it."""
        data = value if isinstance(value, dict) else value.model_dump(mode="json")
        print(json.dumps(data, allow_nan=False), flush=True)

    def note(self, text: str) -> None:
        """Print a message for a person on stderr."""
        print(visible(text), file=sys.stderr, flush=True)

    def progress(self, text: str) -> None:
        """Print a line of progress: on stdout for a person, on stderr beside JSON."""
        print(visible(text), file=sys.stderr if self.as_json else sys.stdout, flush=True)

    @cached_property
    def console(self) -> "Console":
        """Return the console for text: markup, emoji codes and highlighting are off."""
        from rich.console import Console

        width = None if sys.stdout.isatty() else _PIPE_WIDTH_COLUMNS
        return Console(markup=False, emoji=False, highlight=False, width=width)

    def table(self, table: "Table") -> None:
        """Print a table; elsewhere than on a terminal no line ends in blanks."""
        if sys.stdout.isatty():
            self.console.print(table)
            return
        console = self.console
        # columns that must not be folded may need more than a page; a file has room
        least = sum((column.min_width or 0) + _GAP_COLUMNS for column in table.columns) + _EDGES_COLUMNS
        console.width = max(console.width, least)
        with console.capture() as captured:
            console.print(table)
        print("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")), flush=True)

    @property
    def columns(self) -> int:
        """Return the width in which text for a person is laid out."""
        return get_terminal_size().columns if sys.stdout.isatty() else _PIPE_WIDTH_COLUMNS

    @property
    def line_columns(self) -> int | None:
        """Return how long a line may be; None where no terminal shows it: it stays whole, for the programs there."""
        return get_terminal_size().columns if sys.stdout.isatty() else None

    @property
    def interactive(self) -> bool:
        """Tell whether a person at a terminal can be asked."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()
