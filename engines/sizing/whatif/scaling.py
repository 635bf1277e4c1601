"""How does the speed grow with the machines?"""

from contracts.scale import ScalePoint
from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.scale.curve import MOST_GPUS, curve, doublings, says
from engines.sizing.whatif.case import Case

ASKS = "How does the speed grow with the machines, each rank keeping its batch?"

COLUMNS = (
    Column(name="nodes"),
    Column(name="gpus"),
    Column(name="mesh", unit="replicas x ranks"),
    Column(name="global_batch", unit="tokens"),
    Column(name="tokens_per_s", unit="tokens/s"),
    Column(name="useful_tokens_per_s", unit="tokens/s"),
    Column(name="efficiency", unit="%"),
    Column(name="reserved", unit="GiB"),
    Column(name="fits"),
    Column(name="bound_by"),
)
"""Columns of a scaling table."""

RECORDED_RANKS = 512
"""The largest recorded run of which the speed is known; beyond it nothing published stands behind the model."""


def answer(case: Case) -> WhatIf:
    """Double the machines up to 16,384 GPUs.

    Raises:
        RequestInvalid: The GPU is not named.
    """
    place = case.place
    per_node = place.machine.fabric(case.setup.ranks).per_node
    counts = doublings(1, MOST_GPUS // per_node, (case.setup.ranks // per_node,))
    points = curve(case.shape, case.setup, place, case.reliability, counts)
    return answered("scaling", ASKS, case, points, "the global batch grows with the ranks: compare loss curves", False)


def answered(
    question: str, asks: str, case: Case, points: tuple[ScalePoint, ...], assumed: str, fixed_batch: bool
) -> WhatIf:
    """Return a scaling table as an answer.

    Args:
        question: Its name.
        asks: Its words.
        case: What is asked about.
        points: The curve.
        assumed: What is assumed of the batch.
        fixed_batch: Whether the global batch was kept.
    """
    last = points[-1]
    each = last.tokens_per_s / last.gpus
    return WhatIf(
        question=question,
        asks=asks,
        model=case.shape.name,
        columns=COLUMNS,
        rows=tuple(_row(point) for point in points),
        answer=says(points, fixed_batch=fixed_batch),
        arithmetic=(
            f"{last.nodes} machines: {each:,.1f} tokens/s per GPU x {last.gpus:,} = {last.tokens_per_s:,.0f} tokens/s; "
            f"x {last.useful_tokens_per_s / last.tokens_per_s:.4f} with checkpoints and failures = "
            f"{last.useful_tokens_per_s:,.0f}",
        ),
        chart=Chart(kind="line", x="nodes", y="useful_tokens_per_s"),
        cards=("hsdp-or-full-sharding", "communication-volume", "checkpoint-interval"),
        assumptions=(
            assumed,
            "the mesh is chosen anew for each number of machines: the fastest that fits",
            "useful: with the time for checkpoints, restarts and work done again (see checkpoint-interval)",
            "collectives run as rings: their latency grows with the machines",
            f"no recorded run is larger than {RECORDED_RANKS} GPUs: beyond it the links are the model's own",
            *_experts(case),
        ),
    )


def _row(point: ScalePoint) -> dict[str, Cell]:
    return {
        "nodes": point.nodes,
        "gpus": point.gpus,
        "mesh": point.mesh,
        "global_batch": point.global_batch_tokens,
        "tokens_per_s": point.tokens_per_s,
        "useful_tokens_per_s": point.useful_tokens_per_s,
        "efficiency": point.efficiency_pct,
        "reserved": point.reserved_gib,
        "fits": point.fits,
        "bound_by": point.bound_by,
    }


def _experts(case: Case) -> tuple[str, ...]:
    experts = case.shape.experts
    if experts is None or case.setup.ep > 1:
        return ()
    return (
        f"{experts.count} experts are rows of one tensor, which is sharded along them: on more ranks than experts it "
        "is padded to a row for each rank, and gathered so (shard_placement_fn or expert parallelism avoid it); the "
        "memory counts that, the speed does not",
    )
