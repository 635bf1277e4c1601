"""What does reduction in fp32 cost?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, speed_text, table

ASKS = "What does reducing gradients in fp32 cost?"


def answer(case: Case) -> WhatIf:
    """Compare fp32 and bf16 reductions."""
    variants = [Variant(dtype, case.varied(reduce_dtype=dtype)) for dtype in ("fp32", "bf16")]
    columns, rows, found = table(case, "reduce_dtype", variants)
    share = (case.setup.shard_ranks - 1) / case.setup.shard_ranks
    moved = [size * case.shape.params * share / 1e9 for size in (4, 2)]
    return WhatIf(
        question="fp32-reduction",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=f"bf16 instead of fp32 changes the peak by {found[1].reserved_gib - found[0].reserved_gib:+.2f} GiB"
        f"{speed_text(found[0], found[1])}; sums over {case.setup.shard_ranks} ranks lose small gradients in bf16 "
        "(8 bits of mantissa).",
        arithmetic=(
            f"reduce-scatter: {moved[0]:.2f} GB a rank in fp32, {moved[1]:.2f} GB in bf16; the sharded "
            "gradients are cast to the weights' dtype afterwards, so they stay as large",
        ),
        chart=reserved_chart(case, "reduce_dtype"),
        cards=("implicit-low-precision-reduce", "accumulated-vs-fresh-grad-dtype"),
    )
