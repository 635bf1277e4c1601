"""What is the effect of the data-parallel size?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, table

ASKS = "What is the effect of the data-parallel size?"

BYTES_SHARDED = 16
"""Weight 4, gradient 4, AdamW 8, for each parameter in fp32."""


def answer(case: Case) -> WhatIf:
    """Vary the ranks that share the states."""
    inner = case.setup.tp * case.setup.cp * case.setup.pp
    sizes = [size for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if size * inner <= max(64, 4 * case.setup.ranks)]
    variants = [Variant(size, case.varied(ranks=size * inner, dp_replicate=1)) for size in sizes]
    columns, rows, found = table(case, "data_parallel_size", variants, "ranks")
    fewest = next((size for size, one in zip(sizes, found, strict=True) if one.fits), None)
    states = BYTES_SHARDED * case.shape.params / (1 << 30)
    said = f"From {sizes[0]} to {sizes[-1]} ranks the peak falls from {found[0].reserved_gib:.2f} to "
    said += f"{found[-1].reserved_gib:.2f} GiB; activations and logits of a rank stay."
    if case.limit_gib is not None:
        said += f" {fewest} ranks are the fewest that fit." if fewest else " None of them fits."
    shown = ", ".join(f"{states / size:.2f} on {size}" for size in sizes[:4])
    return WhatIf(
        question="data-parallel-size",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said,
        arithmetic=(f"states: {BYTES_SHARDED} bytes x {case.shape.params:,} = {states:.2f} GiB; {shown}",),
        chart=reserved_chart(case, "data_parallel_size", "line"),
        cards=("how-many-gpus", "model-state-bytes"),
    )
