"""Is activation checkpointing releasing what it should?"""

from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.estimate import estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.kept import kept_in_all

ASKS = "Is activation checkpointing releasing what it should?"

_GIB = 1 << 30


def answer(case: Case) -> WhatIf:
    """Say what is allocated after the forward with and without checkpointing, to be compared with a measurement."""
    chosen = case.setup.ac if case.setup.ac != "none" else "full"
    every = case.setup.ac_every if chosen == "every_k" else 1
    variants = {
        "no checkpointing": case.varied(ac="none", ac_every=1),
        chosen: case.varied(ac=chosen, ac_every=every),
    }
    rows = [_row(case, name, setup) for name, setup in variants.items()]
    kept = [sum(kept_in_all(case.shape, setup).values()) / _GIB for setup in variants.values()]
    freed = 100 * (1 - kept[1] / kept[0])
    peaks = [estimate_memory(case.shape, setup) for setup in variants.values()]
    said = f"{chosen} checkpointing should leave {kept[1]:.2f} of {kept[0]:.2f} GiB after the forward ({freed:.0f} % "
    said += "released). Compare torch.cuda.memory_allocated() behind model(...) with the table: near the first row, "
    said += "nothing is released."
    gained = peaks[0].reserved_gib - peaks[1].reserved_gib
    if gained < 0.5 * (kept[0] - kept[1]):
        said += f" The peak falls by {gained:.2f} GiB only: it lies in the {peaks[1].peak_phase} phase then."
    return WhatIf(
        question="checkpoint-releasing",
        asks=ASKS,
        model=case.shape.name,
        columns=(
            Column(name="checkpointing"),
            Column(name="kept_in_a_block", unit="GiB"),
            Column(name="kept", unit="GiB"),
            Column(name="allocated_after_forward", unit="GiB"),
            Column(name="reserved", unit="GiB"),
        ),
        rows=tuple(rows),
        answer=said,
        arithmetic=(f"full keeps each block's input: {case.width_arithmetic}",),
        chart=Chart(kind="bar", x="checkpointing", y="kept"),
        cards=("activation-checkpointing", "apply-after-shard", "memory-snapshot"),
        assumptions=("a later step: the optimizer's state is there, gradients were set to None",),
    )


def _row(case: Case, name: str, setup: TrainingSetup) -> dict[str, Cell]:
    kept = sum(kept_in_all(case.shape, setup).values())
    memory = estimate_memory(case.shape, setup)
    states = sum(memory.breakdown_gib.get(part, 0.0) for part in ("parameters", "optimizer_state"))
    gathered = memory.breakdown_gib.get("unsharded_groups", 0.0)
    return {
        "checkpointing": name,
        "kept_in_a_block": round(kept / case.shape.layers / _GIB, 4),
        "kept": round(kept / _GIB, 3),
        "allocated_after_forward": round(kept / _GIB + states + gathered, 2),
        "reserved": round(memory.reserved_gib, 2),
    }
