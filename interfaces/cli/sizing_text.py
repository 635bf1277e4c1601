"""Predicted memory as text for a person."""

from interfaces.results_sizing import Memory


def memory_lines(memory: Memory) -> list[str]:
    """Return the prediction, and the arithmetic of its parts (their size alone where none is given)."""
    lines = [
        f"peak per rank: {memory.reserved_gib:.2f} GiB reserved, {memory.active_gib:.2f} GiB active "
        f"(+-{memory.error_pct:g} %), in {memory.peak_phase}; first step {memory.step1_reserved_gib:.2f} GiB",
    ]
    if memory.capacity_gib is not None and memory.margin_gib is not None:
        lines.append(
            f"device {memory.capacity_gib:.2f} GiB - overhead {memory.overhead_gib:.2f} GiB - reserved "
            f"= {memory.margin_gib:+.2f} GiB of margin"
        )
    if memory.formula:
        return lines + [f"  {line}" for line in memory.formula]
    parts = sorted(memory.breakdown.items(), key=lambda part: -part[1])
    return lines + [f"  {name}: {gib:.3f} GiB" for name, gib in parts]
