"""How often should checkpoints be written?"""

from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.scale.interval import useful_share
from engines.sizing.scale.saving import checkpointing_of, saving_of
from engines.sizing.throughput.predict import speed_of
from engines.sizing.whatif.case import Case

ASKS = "How often should checkpoints be written, where machines fail?"

_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Intervals that are compared, by the best one."""


def answer(case: Case) -> WhatIf:
    """Compare intervals around the best one.

    Raises:
        RequestInvalid: The GPU is not named.
    """
    machine = case.place.machine
    step_s = speed_of(case.shape, case.setup, machine).step_s
    nodes = max(1, case.setup.ranks // machine.fabric(case.setup.ranks).per_node)
    found = checkpointing_of(case.shape, case.setup, nodes, case.reliability, step_s)
    saving = saving_of(case.shape, case.setup, nodes, case.reliability)
    rows: list[dict[str, Cell]] = []
    for factor in _FACTORS:
        interval_s = saving.interval_s * factor
        useful = useful_share(interval_s, saving.save_s, saving.mtbf_s, saving.restart_s)
        spent = useful * saving.save_s / interval_s
        rows.append(
            {
                "interval": round(interval_s / 60, 2),
                "steps": max(1, round(interval_s / step_s)),
                "saving": round(100 * spent, 2),
                "lost": round(100 * (1 - useful - spent), 2),
                "useful": round(100 * useful, 2),
            }
        )
    said = (
        f"Every {found.interval_s / 60:,.1f} minutes ({found.interval_steps:,} steps of {step_s:.2f} s): a checkpoint "
    )
    said += f"of {found.size_gb:,.0f} GB takes {found.write_s:,.1f} s, the job fails every "
    said += f"{found.hours_between_failures:,.1f} hours, and {found.useful_pct:.1f} % of the time makes progress."
    return WhatIf(
        question="checkpoint-interval",
        asks=ASKS,
        model=case.shape.name,
        columns=(
            Column(name="interval", unit="min"),
            Column(name="steps"),
            Column(name="saving", unit="%"),
            Column(name="lost", unit="%"),
            Column(name="useful", unit="%"),
        ),
        rows=tuple(rows),
        answer=said,
        arithmetic=found.arithmetic,
        chart=Chart(kind="line", x="interval", y="useful"),
        cards=("checkpoint-interval", "checkpoint-size"),
        assumptions=(*found.assumptions, *(f"as in {source}" for source in found.sources)),
    )
