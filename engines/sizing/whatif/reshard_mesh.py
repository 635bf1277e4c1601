"""What if parameters were resharded to a smaller mesh after forward?"""

from dataclasses import replace

from contracts.errors import RequestInvalid
from contracts.whatif import Cell, Column, WhatIf
from engines.sizing import weights
from engines.sizing.throughput.fabric import ring_s
from engines.sizing.throughput.fitted import FITTED
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import FIGURES, Figures, figures, reserved_chart, row

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
        rows.append(row("reshard_to", size, _resharded(case, true, size), true.reserved_gib))
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


def _resharded(case: Case, true: Figures, size: int) -> Figures:
    """Return the figures with the blocks' parameters sharded over `size` ranks between forward and backward."""
    extra = _block_bytes(case) / size / (1 << 30)
    reserved, active = true.reserved_gib + extra, true.active_gib + extra
    fits = None if case.limit_gib is None else reserved <= case.limit_gib
    changed = replace(true, reserved_gib=reserved, active_gib=active, fits=fits)
    if case.machine is None or true.step_s is None or true.tokens_per_s is None:
        return changed
    fabric, setup = case.machine.fabric(case.setup.ranks), case.setup
    each = _block_bytes(case) / case.shape.layers * setup.pp
    times = case.shape.layers / setup.pp * setup.grad_accum
    saved = times * (
        ring_s(each, setup.shard_ranks, setup.tp, fabric, FITTED.reach)
        - ring_s(each, size, setup.tp, fabric, FITTED.reach)
    )
    # What was hidden behind compute wins little; where communication binds, all of it counts.
    from engines.sizing.throughput.predict import speed_of

    speed = speed_of(case.shape, case.varied(reshard_after_forward=True, reshard_last=True), case.machine)
    bound = speed.links.hidden_s > speed.compute_s
    step = true.step_s - saved * (1.0 if bound else 1 - FITTED.overlap)
    return replace(changed, step_s=step, tokens_per_s=true.tokens_per_s * true.step_s / step)
