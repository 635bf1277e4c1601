"""Which activation checkpointing?"""

from contracts.whatif import WhatIf
from engines.sizing.throughput.work import recomputed_share
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, speed_text, table

ASKS = "Which activation checkpointing should be used?"


def answer(case: Case) -> WhatIf:
    """Compare none, selective, every second block and full."""
    variants = [
        Variant("none", case.varied(ac="none", ac_every=1)),
        Variant("selective_op", case.varied(ac="selective_op", ac_every=1)),
        Variant("every second block", case.varied(ac="every_k", ac_every=2)),
        Variant("full", case.varied(ac="full", ac_every=1)),
    ]
    columns, rows, found = table(case, "checkpointing", variants)
    fitting = [(v, one) for v, one in zip(variants, found, strict=True) if one.fits]
    best = max(fitting, key=lambda pair: pair[1].tokens_per_s or 0.0, default=None)
    said = f"From none to full: {found[0].reserved_gib:.2f} to {found[-1].reserved_gib:.2f} GiB"
    said += f"{speed_text(found[0], found[-1])}."
    if case.limit_gib is not None:
        said += f" The fastest that fits is {best[0].label}." if best else " None of them fits."
    shares = ", ".join(f"{v.label} {100 * recomputed_share(case.shape, v.setup):.0f} %" for v in variants)
    return WhatIf(
        question="activation-checkpointing",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said,
        arithmetic=(f"of a block's forward products is repeated: {shares}; forward is a third of the step's products",),
        chart=reserved_chart(case, "checkpointing"),
        cards=("activation-checkpointing", "selective-activation-checkpointing", "ac-granularity"),
    )
