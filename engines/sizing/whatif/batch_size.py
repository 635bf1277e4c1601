"""What is the best batch size?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, figures, reserved_chart, table

ASKS = "What is the best batch size for a GPU?"

MOST = 1024
"""Sequences beyond which nobody looks."""


def answer(case: Case) -> WhatIf:
    """Double the micro-batch until it no longer fits."""
    sizes = [1, 2, 4, 8, 16, 32, 64] if case.limit_gib is None else _until_it_does_not_fit(case)
    variants = [Variant(size, case.varied(micro_batch=size)) for size in sizes]
    columns, rows, found = table(case, "micro_batch", variants)
    fitting = [(size, one) for size, one in zip(sizes, found, strict=True) if one.fits]
    two = found[-1] if len(sizes) > 1 else figures(case, case.varied(micro_batch=2))
    slope = (two.reserved_gib - found[0].reserved_gib) / (max(sizes[-1], 2) - 1)
    said = "Whether they fit is not judged: the GPU is not known."
    if case.limit_gib is not None:
        said = f"Not even one sequence fits.{_leaner(case)}"
    if fitting:
        size, most = fitting[-1]
        said = f"{size} sequences are the most of the powers of two that fit ({most.reserved_gib:.2f} GiB)"
        best = max(fitting, key=lambda pair: pair[1].tokens_per_s or 0.0)
        if best[1].tokens_per_s:
            said += f"; {best[0]} are the fastest: {best[1].tokens_per_s:,.0f} tokens/s per GPU"
        said += "."
    return WhatIf(
        question="batch-size",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said,
        arithmetic=(f"each further sequence of {case.setup.seq_len} tokens takes about {slope:.2f} GiB",),
        chart=reserved_chart(case, "micro_batch", "line"),
        cards=("global-batch-size-fsdp", "gradient-accumulation-dtype"),
    )


def _leaner(case: Case) -> str:
    """Return what checkpointing would do where it was not asked for; empty where it was."""
    if case.setup.ac != "none":
        return ""
    full = figures(case, case.varied(ac="full", ac_every=1, micro_batch=1))
    judged = "fits" if full.fits else "does not fit either"
    said = " No activation checkpointing was assumed: with --activation-checkpointing full it takes "
    return f"{said}{full.reserved_gib:.2f} GiB and {judged}."


def _until_it_does_not_fit(case: Case) -> list[int]:
    sizes = [1]
    while sizes[-1] < MOST and figures(case, case.varied(micro_batch=sizes[-1])).fits:
        sizes.append(2 * sizes[-1])
    return sizes
