"""Predicted memory as text for a person."""

from typing import TYPE_CHECKING

from contracts.units import size_text
from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table
from interfaces.results_sizing import Memory

if TYPE_CHECKING:
    from rich.table import Table


def judged(fits: bool | None, memory: Memory, unknown: str) -> str:
    """Return whether it fits, in words.

    Args:
        fits: The verdict, which takes the stated error into account; None: not judged.
        memory: The prediction.
        unknown: What to say where the capacity is not known.
    """
    if fits is None:
        return unknown
    if fits:
        return "fits"
    return "may not fit" if memory.margin_gib is not None and memory.margin_gib >= 0 else "does not fit"


def show_memory(out: Output, memory: Memory) -> None:
    """Print the predicted peak, its margin, its parts, and the arithmetic that explains it."""
    out.progress(
        f"peak per rank: {size_text(memory.reserved_gib)} reserved, {size_text(memory.active_gib)} active "
        f"(+-{memory.error_pct:g} %), in {memory.peak_phase}; first step {size_text(memory.step1_reserved_gib)}"
    )
    if memory.capacity_gib is not None and memory.margin_gib is not None:
        out.progress(
            f"device {memory.capacity_gib:.2f} GiB - overhead {memory.overhead_gib:.2f} GiB - reserved "
            f"= {memory.margin_gib:+.2f} GiB of margin{_error_against_margin(memory)}"
        )
    out.table(_parts(memory))
    for line in memory.formula:
        out.progress(f"by hand: {line}")


def _error_against_margin(memory: Memory) -> str:
    """Say what the stated error makes of the margin."""
    assert memory.margin_gib is not None, "asked where the capacity is known"
    error_gib = memory.reserved_gib * memory.error_pct / 100
    if 0 <= memory.margin_gib < error_gib:
        return f"; the error of {memory.error_pct:g} % is {error_gib:.2f} GiB"
    return ""


def _parts(memory: Memory) -> "Table":
    from rich.text import Text

    table = plain_table("memory at the peak", "size")
    for name, gib in sorted(memory.breakdown.items(), key=lambda part: -part[1]):
        table.add_row(Text(name), Text(size_text(gib), justify="right"))
    return table
