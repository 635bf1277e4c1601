"""The expected scaling of a job: its speed over numbers of machines, and where more of them stop to pay."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd, log2

from contracts.errors import RequestInvalid
from contracts.reliability import Reliability
from contracts.request import Language
from contracts.scale import ScalePoint
from engines.sizing.scale.meshes import Place, choose, meshes
from engines.sizing.scale.saving import saving_of
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say

MOST_GPUS = 16384
"""GPUs up to which a curve goes: the largest job of which failures are published."""

PAYS = 1.6
"""A doubling that gives so many times the tokens a second or more is said to pay."""


def doublings(first: int, last: int, also: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the numbers of machines of a curve: doubled from the first on, and some by name."""
    found = {count for count in also if count <= last}
    count = first
    while count <= last:
        found.add(count)
        count *= 2
    return tuple(sorted(found))


def curve(
    shape: ModelShape,
    setup: TrainingSetup,
    place: Place,
    reliability: Reliability,
    counts: Sequence[int],
    *,
    fixed_batch: bool = False,
) -> tuple[ScalePoint, ...]:
    """Return the job on each number of machines, with the fastest mesh that fits there.

    Args:
        shape: The model.
        setup: Its settings; the mesh is chosen anew for each number.
        place: Machines (their GPUs, their links) and memory.
        reliability: Failures, storage and restart.
        counts: Numbers of machines.
        fixed_batch: Keep the global batch of `setup` by fewer sequences on each rank; numbers
            that do not divide it are left out. Otherwise each rank keeps its own batch.
    """
    per_node = place.machine.fabric(setup.ranks).per_node
    found = [_point(shape, setup, place, reliability, nodes, per_node, fixed_batch=fixed_batch) for nodes in counts]
    points = [point for point in found if point is not None]
    # the first that fits is what the others are compared with; where none does, the first
    first = next((point for point in points if point.fits is not False), points[0] if points else None)
    return tuple(_beside(point, first) for point in points if first is not None)


def _beside(point: ScalePoint, first: ScalePoint) -> ScalePoint:
    """Return a point with its speed per GPU as a share of the first one's."""
    share = (point.useful_tokens_per_s / point.gpus) / (first.useful_tokens_per_s / first.gpus)
    return point.model_copy(update={"efficiency_pct": round(100 * share, 1)})


def most_useful(points: Sequence[ScalePoint]) -> ScalePoint:
    """Return the point with the most useful tokens a second, of those that fit where some do."""
    usable = [point for point in points if point.fits is not False] or list(points)
    return max(usable, key=lambda point: point.useful_tokens_per_s)


def fall(points: Sequence[ScalePoint]) -> int | None:
    """Return the place of the first point with fewer useful tokens a second than the one before; None: no fall."""
    pairs = enumerate(pairwise(points), start=1)
    return next(
        (place for place, (before, after) in pairs if after.useful_tokens_per_s < before.useful_tokens_per_s), None
    )


def turns_over(points: Sequence[ScalePoint]) -> bool:
    """Tell whether more machines give fewer tokens a second somewhere on the curve."""
    return fall(points) is not None


def last_that_pays(points: Sequence[ScalePoint]) -> ScalePoint:
    """Return the last point up to which every doubling gives 1.6 times the tokens or more."""
    usable = [point for point in points if point.fits is not False] or list(points)
    paid = usable[0]
    for before, after in pairwise(usable):
        gained = after.useful_tokens_per_s / before.useful_tokens_per_s
        # a step that is no doubling is held to the same rate
        if gained < PAYS ** log2(after.nodes / before.nodes):
            break
        paid = after
    return paid


def says(points: Sequence[ScalePoint], language: Language = "en", *, fixed_batch: bool = False) -> str:
    """Return a curve in two sentences."""
    best, paid, falls = most_useful(points), last_that_pays(points), fall(points)
    said = say("curve_no_fit", language) if all(point.fits is False for point in points) else ""
    if falls is None:
        why = say("curve_batch_ends" if fixed_batch else "curve_ends", language)
        speed = best.useful_tokens_per_s
        said += say("curve_grows", language, machines=_machines(best, language), speed=speed, why=why)
    else:
        before, after = points[falls - 1], points[falls]
        speeds = {"less": after.useful_tokens_per_s, "most": before.useful_tokens_per_s}
        counts = {"before": before.nodes, "after": after.nodes}
        said += say("curve_turns", language, machines=_machines(before, language), **counts, **speeds)
        more = next((p for p in points[falls:] if p.useful_tokens_per_s > before.useful_tokens_per_s), None)
        said += say("curve_more_again", language, nodes=more.nodes) if more else "."
    if points[0].fits is False and best.fits is not False:
        fewest = next(point for point in points if point.fits is not False)
        said += say("curve_fewest_one" if fewest.nodes == 1 else "curve_fewest", language, nodes=fewest.nodes)
    machines = _machines(paid, language)
    return said + say("curve_pays", language, machines=machines, pays=PAYS, share=paid.efficiency_pct)


def _machines(point: ScalePoint, language: Language) -> str:
    return say("machine" if point.nodes == 1 else "machines", language, nodes=point.nodes, gpus=point.gpus)


def _point(
    shape: ModelShape,
    setup: TrainingSetup,
    place: Place,
    reliability: Reliability,
    nodes: int,
    per_node: int,
    *,
    fixed_batch: bool,
) -> ScalePoint | None:
    there = replace(place, machine=replace(place.machine, nodes=nodes))
    base = _on(setup, nodes * per_node, fixed_batch=fixed_batch)
    if base is None:
        return None
    options = meshes(shape, base, there)
    if not options:
        return None
    mesh = choose(shape, options, there)
    useful = saving_of(shape, mesh.setup, nodes, reliability).useful
    whole = mesh.speed.tokens_per_s_per_gpu * base.ranks
    return ScalePoint(
        nodes=nodes,
        gpus=base.ranks,
        mesh=mesh.name,
        global_batch_tokens=global_batch(mesh.setup) * base.seq_len,
        reserved_gib=round(mesh.reserved_gib, 2),
        fits=mesh.fits,
        tokens_per_s=round(whole, 1),
        useful_tokens_per_s=round(whole * useful, 1),
        efficiency_pct=100.0,
        bound_by=mesh.speed.bound_by,
    )


def global_batch(setup: TrainingSetup) -> int:
    """Return the sequences of one optimizer step."""
    return setup.micro_batch * setup.grad_accum * setup.dp_shard * setup.dp_replicate


def _on(setup: TrainingSetup, ranks: int, *, fixed_batch: bool) -> TrainingSetup | None:
    """Return the settings on another number of ranks, fully sharded; None where it does not divide."""
    settings = setup.model_dump() | {"ranks": ranks, "dp_replicate": 1}
    settings.pop("dp_shard")
    inner = setup.tp * setup.cp * setup.pp
    if ranks % inner:
        return None
    if fixed_batch:
        each, rest = divmod(global_batch(setup), ranks // inner)
        if rest or not each:
            return None
        micro = gcd(each, setup.micro_batch)
        settings |= {"micro_batch": micro, "grad_accum": each // micro}
        settings["accumulate_unsharded"] = setup.accumulate_unsharded and each > micro
    try:
        return make_setup(**settings)
    except RequestInvalid:
        return None
