"""What if parameters were resharded to a smaller mesh after forward?"""

from contracts.errors import RequestInvalid
from contracts.whatif import Cell, Column, WhatIf
from engines.sizing import weights
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import FIGURES, figures, reserved_chart, row

ASKS = "What if parameters were resharded to a smaller mesh after forward (reshard_after_forward=int)?"


def answer(case: Case) -> WhatIf:
    """Compare resharding to all ranks, to smaller groups, and not at all.

    Raises:
        RequestInvalid: There is one rank only.
    """
    ranks = case.setup.shard_ranks
    sizes = [size for size in range(2, ranks) if ranks % size == 0 and size & (size - 1) == 0]
    if ranks < 2:
        raise RequestInvalid("one rank holds everything: there is no mesh to reshard to", hint="state more --gpus")
    true = figures(case, case.varied(reshard_after_forward=True, reshard_last=True))
    false = figures(case, case.varied(reshard_after_forward=False, reshard_last=False))
    rows: list[dict[str, Cell]] = [row("reshard_to", f"{ranks} (True)", true, true.reserved_gib)]
    for size in reversed(sizes):
        rows.append(row("reshard_to", size, figures(case, case.varied(reshard_after_forward=size)), true.reserved_gib))
    rows.append(row("reshard_to", "nothing (False)", false, true.reserved_gib))
    block_bytes = _block_bytes(case)
    shown = ", ".join(f"{size}: {block_bytes / size / (1 << 30):.2f}" for size in reversed(sizes))
    return WhatIf(
        question="reshard-mesh",
        asks=ASKS,
        model=case.shape.name,
        columns=(Column(name="reshard_to", unit="ranks"), *FIGURES),
        rows=tuple(rows),
        answer=f"Kept in between are {case.setup.act_bytes} bytes of each block's parameter over the smaller group's "
        f"size: from {true.reserved_gib:.2f} GiB (all {ranks}) to {false.reserved_gib:.2f} (none). It pays where the "
        "smaller group is a machine and the larger one leaves it.",
        arithmetic=(
            f"blocks gathered: {block_bytes / (1 << 30):.2f} GiB; a part of it on top for groups of {shown or 'none'}",
        ),
        chart=reserved_chart(case, "reshard_to"),
        cards=("reshard-int-value", "reshard-after-forward-values", "reshard-int-communicators"),
        assumptions=("the parts of the smaller mesh live from forward to backward, on top of the sharded weights",),
    )


def _block_bytes(case: Case) -> float:
    blocks = case.shape.params - weights.outer_numel(case.shape)
    return case.setup.act_bytes * blocks / (case.setup.tp * case.setup.pp)
