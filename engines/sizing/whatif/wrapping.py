"""What is the effect of wrapping: which modules become groups of their own?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, speed_text, table

ASKS = "What is the effect of wrapping?"


def answer(case: Case) -> WhatIf:
    """Compare blocks and root, embedding and head on their own, and the root alone."""
    kinds = ("blocks_root", "emb_blocks_head", "root")
    variants = [Variant(kind, case.varied(wrap=kind)) for kind in kinds]
    columns, rows, found = table(case, "wrapping", variants)
    whole = case.setup.act_bytes * case.shape.params / (1 << 30)
    return WhatIf(
        question="wrapping",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=f"Blocks and root: {found[0].reserved_gib:.2f} GiB. The root alone gathers the whole model at once: "
        f"{found[2].reserved_gib:.2f} GiB{speed_text(found[0], found[2])}. Embedding and head on their own: "
        f"{found[1].reserved_gib:.2f} GiB.",
        arithmetic=(f"root alone: {case.setup.act_bytes} bytes x {case.shape.params:,} = {whole:.2f} GiB gathered",),
        chart=reserved_chart(case, "wrapping"),
        cards=("wrapping-granularity", "shard-root-only"),
    )
