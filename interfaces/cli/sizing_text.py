"""Predicted memory as text for a person."""

from typing import TYPE_CHECKING

from contracts.request import Language
from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table
from interfaces.cli.words import word
from interfaces.results_sizing import Memory

if TYPE_CHECKING:
    from rich.table import Table


def judged(fits: bool | None, memory: Memory, unknown: str, language: Language = "en") -> str:
    """Return whether it fits, in words.

    Args:
        fits: The verdict, which takes the stated error into account; None: not judged.
        memory: The prediction.
        unknown: What to say where the capacity is not known.
        language: In which language.
    """
    if fits is None:
        return unknown
    if fits:
        return word("fits", language)
    close = memory.margin_gib is not None and memory.margin_gib >= 0
    return word("may_not_fit" if close else "does_not_fit", language)


def show_memory(out: Output, memory: Memory, language: Language = "en") -> None:
    """Print the predicted peak, its margin, its parts, and the arithmetic that explains it."""
    out.progress(
        word(
            "peak",
            language,
            reserved=memory.reserved_gib,
            active=memory.active_gib,
            error=memory.error_pct,
            phase=memory.peak_phase,
            first=memory.step1_reserved_gib,
        )
    )
    if memory.capacity_gib is not None and memory.margin_gib is not None:
        sizes = {"capacity": memory.capacity_gib, "overhead": memory.overhead_gib, "margin": memory.margin_gib}
        out.progress(word("margin", language, **sizes) + _error_against_margin(memory, language))
    out.table(_parts(memory, language))
    for line in memory.formula:
        out.progress(f"{word('by_hand', language)}: {line}")


def _error_against_margin(memory: Memory, language: Language) -> str:
    """Say what the stated error makes of the margin."""
    assert memory.margin_gib is not None, "asked where the capacity is known"
    error_gib = memory.reserved_gib * memory.error_pct / 100
    if 0 <= memory.margin_gib < error_gib:
        return word("margin_error", language, error=memory.error_pct, gib=error_gib)
    return ""


def _parts(memory: Memory, language: Language) -> "Table":
    from rich.text import Text

    table = plain_table(word("at_the_peak", language), word("size", language))
    for name, gib in sorted(memory.breakdown.items(), key=lambda part: -part[1]):
        table.add_row(Text(name), Text(word("gib", language, gib=gib), justify="right"))
    return table
