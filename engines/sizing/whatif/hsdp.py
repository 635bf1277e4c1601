"""When does HSDP pay?"""

from contracts.errors import RequestInvalid
from contracts.whatif import WhatIf
from engines.sizing.search.space import replicas
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, speed_text, table

ASKS = "When does HSDP (replicas of whole machines) pay?"


def answer(case: Case) -> WhatIf:
    """Compare the numbers of replicas.

    Raises:
        RequestInvalid: There is one machine only.
    """
    per_node = case.machine.fabric(case.setup.ranks).per_node if case.machine else min(8, case.setup.ranks)
    counts = [n for n in replicas(case.setup.ranks, per_node) if case.valid(dp_replicate=n)]
    if len(counts) < 2:
        raise RequestInvalid(
            f"{case.setup.ranks} ranks are one machine of {per_node}: there is nothing to replicate across",
            hint="state more --gpus, or --nodes",
        )
    columns, rows, found = table(case, "replicas", [Variant(n, case.varied(dp_replicate=n)) for n in counts])
    pairs = list(zip(counts, found, strict=True))
    said = f"{counts[-1]} replicas take {found[-1].reserved_gib - found[0].reserved_gib:+.2f} GiB"
    said += f"{speed_text(found[0], found[-1])}."
    usable = [pair for pair in pairs if pair[1].fits is not False and pair[1].tokens_per_s]
    if usable:
        best = max(usable, key=lambda pair: pair[1].tokens_per_s or 0.0)
        full = pairs[0][1].tokens_per_s or 1.0
        gain = (best[1].tokens_per_s or 0.0) / full - 1
        said += f" {best[0]} replicas are the fastest that fit." if gain > 0.02 else " It does not pay: full sharding."
    ranks, nodes = case.setup.ranks, case.setup.ranks // per_node
    params = case.shape.params
    return WhatIf(
        question="hsdp",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said,
        arithmetic=(
            f"full sharding, through a machine's adapters: (2 + 2 + 4) bytes x {params:,} x {ranks - 1}/{ranks} = "
            f"{8 * params * (ranks - 1) / ranks / 1e9:.1f} GB for each micro-step",
            f"a replica in each machine: 2 x {nodes - 1}/{nodes} x 4 bytes x {params:,} = "
            f"{8 * params * (nodes - 1) / nodes / 1e9:.1f} GB for each reduction, and no gathers",
        ),
        chart=reserved_chart(case, "replicas"),
        cards=("hsdp-or-full-sharding", "hsdp-mesh"),
    )
