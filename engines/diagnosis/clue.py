"""Clue: something known besides the text that speaks for a cause, with where it is known from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clue:
    """A weight for a cause, with the line that proves it."""

    cause: str
    """Slug of the cause."""
    weight: float
    """What it adds to the cause's score; a sign of 5 or more is specific."""
    file: str
    """File that it is known from."""
    line: int
    """1-based line there."""
    text: str
    """What is known, in one sentence."""
    where: str = ""
    """Pattern that the text has to show for it to count; empty where it always counts."""
    fix: str = ""
    """What to change at that line, in one sentence; empty where the cause's card says it."""
