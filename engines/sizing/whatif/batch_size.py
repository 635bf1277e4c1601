"""What is the best batch size?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, table

ASKS = "What is the best batch size for a GPU?"

MOST = 1024
"""Sequences beyond which nobody looks."""


def answer(case: Case) -> WhatIf:
    """Double the micro-batch until it no longer fits."""
    sizes = [1, 2, 4, 8, 16, 32, 64] if case.limit_gib is None else _until_it_does_not_fit(case)
    variants = [Variant(size, case.varied(micro_batch=size)) for size in sizes]
    columns, rows, found = table(case, "micro_batch", variants)
    fitting = [(size, one) for size, one in zip(sizes, found, strict=True) if one.fits]
    slope = (found[-1].reserved_gib - found[0].reserved_gib) / (sizes[-1] - sizes[0]) if len(sizes) > 1 else 0.0
    said = "Whether they fit is not judged: the GPU is not known."
    if case.limit_gib is not None:
        said = "Not even one sequence fits."
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


def _until_it_does_not_fit(case: Case) -> list[int]:
    from engines.sizing.whatif.compare import figures

    sizes = [1]
    while sizes[-1] < MOST and figures(case, case.varied(micro_batch=sizes[-1])).fits:
        sizes.append(2 * sizes[-1])
    return sizes
