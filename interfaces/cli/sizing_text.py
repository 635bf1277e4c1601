"""Predicted memory as text for a person."""

from typing import TYPE_CHECKING

from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table
from interfaces.cli.text import one_line
from interfaces.results_sizing import Memory

if TYPE_CHECKING:
    from rich.table import Table


def show_memory(out: Output, memory: Memory) -> None:
    """Print the predicted peak, its margin, and its parts with their arithmetic."""
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


def _parts(memory: Memory) -> "Table":
    from rich.text import Text

    # A line of the arithmetic is "component: terms = result".
    terms = dict(line.partition(": ")[::2] for line in memory.formula)
    table = plain_table("memory at the peak", "GiB", "arithmetic")
    for name, gib in sorted(memory.breakdown.items(), key=lambda part: -part[1]):
        table.add_row(Text(name), Text(f"{gib:8.3f}"), Text(one_line(terms.pop(name, ""))))
    for name, line in terms.items():
        table.add_row(Text(one_line(name)), Text(""), Text(one_line(line)))
    return table
