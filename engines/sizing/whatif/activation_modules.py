"""Which module dominates the activations?"""

from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.ends import record_head
from engines.sizing.tape import Program
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.kept import kept_in_all

ASKS = "Which module dominates the activations?"

_GIB = 1 << 30


def answer(case: Case) -> WhatIf:
    """Add up what the blocks keep for the backward, by module, and set the loss beside it."""
    kept = kept_in_all(case.shape, case.setup)
    loss = _highest(record_head(case.shape, case.setup).piece.forward)
    parts = sorted([*kept.items(), ("head and loss, at their peak", loss)], key=lambda part: -part[1])
    total = sum(kept.values())
    rows: list[dict[str, Cell]] = [
        {
            "module": name,
            "size": round(size / _GIB, 3),
            "per_block": None if "loss" in name else round(size / _GIB / case.shape.layers, 4),
            "share": None if "loss" in name else round(100 * size / total, 1),
        }
        for name, size in parts
    ]
    first = max(kept, key=lambda name: kept[name])
    said = f"{first} keeps {kept[first] / _GIB:.2f} of {total / _GIB:.2f} GiB ({100 * kept[first] / total:.0f} %) "
    said += f"under activation checkpointing {case.setup.ac!r}; head and loss take {loss / _GIB:.2f} GiB for a moment."
    return WhatIf(
        question="activation-modules",
        asks=ASKS,
        model=case.shape.name,
        columns=(
            Column(name="module"),
            Column(name="size", unit="GiB"),
            Column(name="per_block", unit="GiB"),
            Column(name="share", unit="%"),
        ),
        rows=tuple(rows),
        answer=said,
        arithmetic=(f"one tensor of width D: {case.width_arithmetic}",),
        chart=Chart(kind="bar", x="module", y="size"),
        cards=("activation-checkpointing", "memory-snapshot"),
    )


def _highest(program: Program) -> int:
    """Return the highest sum of what a program has allocated."""
    alive: dict[int, int] = {}
    now = most = 0
    for slot, size in program:
        now += size if size else -alive.get(slot, 0)
        alive[slot] = size
        most = max(most, now)
    return most
