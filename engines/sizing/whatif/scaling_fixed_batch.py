"""How does the speed grow with the machines, where the global batch stays?"""

from contracts.errors import RequestInvalid
from contracts.whatif import WhatIf
from engines.sizing.scale.curve import MOST_GPUS, curve, doublings, global_batch
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.scaling import answered

ASKS = "How does the speed grow with the machines, where the global batch stays?"


def answer(case: Case) -> WhatIf:
    """Divide the global batch over more and more machines, until each rank has one sequence.

    Raises:
        RequestInvalid: The GPU is not named, or the batch divides over no number of machines.
    """
    place = case.place
    per_node = place.machine.fabric(case.setup.ranks).per_node
    counts = doublings(1, MOST_GPUS // per_node, (case.setup.ranks // per_node,))
    points = curve(case.shape, case.setup, place, case.reliability, counts, fixed_batch=True)
    sequences = global_batch(case.setup)
    if not points:
        raise RequestInvalid(
            f"a global batch of {sequences} sequences divides over no number of machines of {per_node} GPUs",
            hint="state --micro-batch or --set grad_accum=N so that it does",
        )
    assumed = (
        f"{sequences:,} sequences of {case.setup.seq_len:,} tokens in every step: fewer micro-steps on each rank, "
    )
    assumed += "then a smaller micro-batch, down to one sequence"
    return answered("scaling-fixed-batch", ASKS, case, points, assumed, True)
