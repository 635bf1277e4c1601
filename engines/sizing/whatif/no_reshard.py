"""What if parameters stayed gathered after forward?"""

from contracts.whatif import WhatIf
from engines.sizing.weights import outer_numel
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, speed_text, table

ASKS = "What if parameters stayed gathered after forward (reshard_after_forward=False)?"


def answer(case: Case) -> WhatIf:
    """Compare resharding, keeping the last block alone, and keeping all."""
    variants = [
        Variant("every block is resharded", case.varied(reshard_after_forward=True, reshard_last=True)),
        Variant("all but the last block", case.varied(reshard_after_forward=True, reshard_last=False)),
        Variant("none is resharded", case.varied(reshard_after_forward=False, reshard_last=False)),
    ]
    columns, rows, found = table(case, "after_forward", variants)
    blocks = (case.shape.params - outer_numel(case.shape)) / (case.setup.tp * case.setup.pp)
    whole = case.setup.act_bytes * blocks / (1 << 30)
    return WhatIf(
        question="no-reshard",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=f"Keeping all gathered takes {found[2].reserved_gib - found[0].reserved_gib:.2f} GiB more"
        f"{speed_text(found[0], found[2])}: one gather a step instead of two.",
        arithmetic=(
            f"blocks gathered: {case.setup.act_bytes} bytes x {blocks:,.0f} = {whole:.2f} GiB, of which one or two are "
            "there anyway",
        ),
        chart=reserved_chart(case, "after_forward"),
        cards=("no-reshard-everywhere", "reshard-after-forward-values"),
    )
