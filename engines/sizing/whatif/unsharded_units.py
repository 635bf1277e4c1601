"""Which unit holds unsharded memory?"""

from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.groups import Group
from engines.sizing.layout import lay_out, stages
from engines.sizing.whatif.case import Case

ASKS = "Which unit holds unsharded memory, and for how long?"

_GIB = 1 << 30


def answer(case: Case) -> WhatIf:
    """List the groups of a rank with the bytes that they hold while they are gathered."""
    layout = lay_out(case.shape, case.setup, stages(case.shape, case.setup)[0])
    blocks = [group for _, group in layout.blocks if group.gathered]
    named: list[tuple[str, int, Group]] = [("root" if layout.first is layout.last else "embedding", 1, layout.first)]
    kinds: dict[tuple[int, bool], list[Group]] = {}
    for group in blocks:
        kinds.setdefault((group.gathered, group.reshard), []).append(group)
    for (_, reshard), same in kinds.items():
        named.append(("block" if reshard else "block, kept", len(same), same[0]))
    if layout.first is not layout.last:
        named.append(("norm and head", 1, layout.last))
    rows = [_row(name, count, group) for name, count, group in named]
    kept = sum(group.gathered * count for _, count, group in named if not group.reshard)
    largest = max((group.gathered for _, _, group in named if group.reshard), default=0)
    say = max(named, key=lambda one: one[2].gathered * (1 if one[2].reshard else one[1]))
    return WhatIf(
        question="unsharded-units",
        asks=ASKS,
        model=case.shape.name,
        columns=(
            Column(name="unit"),
            Column(name="units"),
            Column(name="gathered", unit="GiB"),
            Column(name="gathered_together", unit="GiB"),
            Column(name="stays"),
        ),
        rows=tuple(rows),
        answer=f"{kept / _GIB:.2f} GiB stay gathered from forward to backward, and two more units of up to "
        f"{largest / _GIB:.2f} GiB come and go (one computes, one is prefetched); the largest holder is {say[0]}.",
        arithmetic=tuple(
            f"{name}: {case.setup.act_bytes} bytes x {group.gathered // case.setup.act_bytes:,} elements (padded) = "
            f"{group.gathered / _GIB:.3f} GiB"
            for name, _, group in named
        ),
        chart=Chart(kind="bar", x="unit", y="gathered_together"),
        cards=("wrapping-granularity", "stale-unsharded-root", "inspect-units"),
    )


def _row(name: str, count: int, group: Group) -> dict[str, Cell]:
    at_once = 1 if group.reshard else count
    return {
        "unit": name,
        "units": count,
        "gathered": round(group.gathered / _GIB, 4),
        "gathered_together": round(group.gathered * at_once / _GIB, 4),
        "stays": "while it computes" if group.reshard else "from its forward to its backward",
    }
