"""What is the peak with this configuration, and what is it made of?"""

from contracts.whatif import Chart, Column, WhatIf
from engines.sizing.estimate import estimate_memory
from engines.sizing.whatif.case import Case

ASKS = "What is the peak memory with this configuration, and what is it made of?"


def answer(case: Case) -> WhatIf:
    """Break the peak down by component."""
    memory = estimate_memory(case.shape, case.setup, case.capacity_gib)
    parts = sorted(memory.breakdown_gib.items(), key=lambda part: -part[1])
    rows = [
        {"component": name, "size": round(size, 3), "share": round(100 * size / memory.reserved_gib, 1)}
        for name, size in parts
    ]
    limit = "" if case.capacity_gib is None else f" of {case.capacity_gib:.1f} GiB"
    return WhatIf(
        question="peak",
        asks=ASKS,
        model=case.shape.name,
        columns=(Column(name="component"), Column(name="size", unit="GiB"), Column(name="share", unit="%")),
        rows=tuple(rows),
        answer=f"{memory.reserved_gib:.2f} GiB reserved{limit} ({memory.active_gib:.2f} active), plus or minus "
        f"{memory.error_pct:.0f} %, in the {memory.peak_phase} phase; the largest part is {parts[0][0]}.",
        arithmetic=memory.formula,
        chart=Chart(kind="bar", x="component", y="size"),
        cards=("model-state-bytes", "backward-peak"),
        assumptions=memory.assumptions,
    )
