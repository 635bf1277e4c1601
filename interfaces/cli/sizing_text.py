"""Predicted memory as text for a person."""

from typing import TYPE_CHECKING

from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table
from interfaces.results_sizing import Memory

if TYPE_CHECKING:
    from rich.table import Table


def show_memory(out: Output, memory: Memory) -> None:
    """Print the predicted peak, its margin, its parts, and the arithmetic that explains it."""
    out.progress(
        f"peak per rank: {memory.reserved_gib:.2f} GiB reserved, {memory.active_gib:.2f} GiB active "
        f"(+-{memory.error_pct:g} %), in {memory.peak_phase}; first step {memory.step1_reserved_gib:.2f} GiB"
    )
    if memory.capacity_gib is not None and memory.margin_gib is not None:
        out.progress(
            f"device {memory.capacity_gib:.2f} GiB - overhead {memory.overhead_gib:.2f} GiB - reserved "
            f"= {memory.margin_gib:+.2f} GiB of margin"
        )
    out.console.print(_parts(memory))
    for line in memory.formula:
        out.progress(f"by hand: {line}")


def _parts(memory: Memory) -> "Table":
    from rich.text import Text

    table = plain_table("memory at the peak", "GiB")
    for name, gib in sorted(memory.breakdown.items(), key=lambda part: -part[1]):
        table.add_row(Text(name), Text(f"{gib:8.3f}"))
    return table
