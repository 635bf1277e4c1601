"""WhatIf: the answer to a tuning or debugging question, as a table that can be drawn."""

from typing import Literal

from contracts.base import Contract

Cell = str | float | int | bool | None
"""A value of a table; None: not known, or it does not apply."""


class Column(Contract):
    """One column of the table."""

    name: str
    """Key of the rows' values."""
    unit: str = ""
    """Unit of its numbers, such as "GiB"."""


class Chart(Contract):
    """How the table is drawn."""

    kind: Literal["bar", "line"]
    """One bar a row, or a line through the rows."""
    x: str
    """Column along the x axis."""
    y: str
    """Column along the y axis."""
    limit: float | None = None
    """A horizontal line: what must not be exceeded, in the unit of y."""


class WhatIf(Contract):
    """A question about a configuration, answered for several values of a setting."""

    question: str
    """Name of the question, such as "batch-size"."""
    asks: str
    """The question in words."""
    model: str
    """Model that it was asked of."""
    columns: tuple[Column, ...]
    """Columns, in order."""
    rows: tuple[dict[str, Cell], ...]
    """A value, or a variant, for each row."""
    answer: str
    """The answer in one or two sentences, with its numbers."""
    arithmetic: tuple[str, ...] = ()
    """How it can be checked by hand."""
    chart: Chart
    """How it is drawn."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards that it rests on."""
    assumptions: tuple[str, ...] = ()
    """What was assumed."""
