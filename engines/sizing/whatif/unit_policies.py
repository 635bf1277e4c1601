"""What if different units had different policies?"""

import math

from contracts.whatif import Cell, Column, WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import FIGURES, Figures, figures, reserved_chart, row

ASKS = "What if only some of the blocks were checkpointed?"


def answer(case: Case) -> WhatIf:
    """Checkpoint some blocks and keep the others: memory and time lie on the line between the two ends."""
    layers = case.shape.layers
    full = figures(case, case.varied(ac="full", ac_every=1))
    none = figures(case, case.varied(ac="none", ac_every=1))
    each = (none.reserved_gib - full.reserved_gib) / layers
    counts = sorted({0, layers // 4, layers // 2, 3 * layers // 4, layers} | {_kept(case, full, each)})
    rows: list[dict[str, Cell]] = [
        row("kept_blocks", kept, _between(case, full, none, kept), full.reserved_gib) for kept in counts
    ]
    said = f"Each block that is not checkpointed takes {each:.3f} GiB."
    if case.limit_gib is not None:
        kept = _kept(case, full, each)
        said += f" {kept} of {layers} blocks can stay without checkpointing." if full.fits else " Not even full fits."
    return WhatIf(
        question="unit-policies",
        asks=ASKS,
        model=case.shape.name,
        columns=(Column(name="kept_blocks", unit="blocks"), *FIGURES),
        rows=tuple(rows),
        answer=said,
        arithmetic=(
            f"({none.reserved_gib:.2f} none - {full.reserved_gib:.2f} full) GiB / {layers} blocks = {each:.3f} GiB",
        ),
        chart=reserved_chart(case, "kept_blocks", "line"),
        cards=("ac-granularity", "activation-checkpointing"),
        assumptions=("between none and full memory and time are linear in the number of blocks",),
    )


def _kept(case: Case, full: Figures, each: float) -> int:
    """Return how many blocks can keep their activations."""
    if case.limit_gib is None or each <= 0:
        return case.shape.layers if each <= 0 else 0
    return max(0, min(case.shape.layers, math.floor((case.limit_gib - full.reserved_gib) / each)))


def _between(case: Case, full: Figures, none: Figures, kept: int) -> Figures:
    share = kept / case.shape.layers
    reserved = full.reserved_gib + share * (none.reserved_gib - full.reserved_gib)
    active = full.active_gib + share * (none.active_gib - full.active_gib)
    fits = None if case.limit_gib is None else reserved <= case.limit_gib
    if full.step_s is None or none.step_s is None or full.tokens_per_s is None:
        return Figures(reserved, active, fits, None, None)
    step = full.step_s + share * (none.step_s - full.step_s)
    return Figures(reserved, active, fits, full.tokens_per_s * full.step_s / step, step)
