"""Meshes: the ways to lay a model over several machines, and which of them to take."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from contracts.errors import RequestInvalid
from contracts.scale import MeshOption
from engines.sizing.closed_form import GIB, closed_form
from engines.sizing.estimate import estimate_memory
from engines.sizing.search.option import limit_gib
from engines.sizing.search.space import replicas
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine, speed_of
from engines.sizing.throughput.speed import Speed
from engines.sizing.throughput.traffic import volume

EQUAL = 0.02
"""Share by which speeds may differ and count as equal: then the plainer mesh wins, and the leaner one."""

_KINDS = ("full_shard", "hsdp", "reshard_to_node")
"""The plainest first: replicas need a mesh of two dimensions, the last one a number that must divide the ranks."""

_HOPELESS = 1.25
"""The closed form errs by less than a quarter: what it puts above so many limits is not traced."""

Kind = Literal["full_shard", "hsdp", "reshard_to_node"]


@dataclass
class Mesh:
    """One way, before and after it is judged."""

    kind: Kind
    setup: TrainingSetup
    speed: Speed
    network_gb: float
    """Through one machine's adapters in a step, in GB."""
    reserved_gib: float
    """By the closed form, until `measure`."""
    fits: bool | None = None
    exact: bool = False

    @property
    def name(self) -> str:
        """The mesh in short: replicas x shard ranks, and where it keeps the parameters in between."""
        short = f"{self.setup.dp_replicate} x {self.setup.shard_ranks}"
        return f"{short}, reshard to {self.setup.post_forward_ranks}" if self.kind == "reshard_to_node" else short

    def contract(self, *, chosen: bool) -> MeshOption:
        """Return it in the form of a plan."""
        return MeshOption(
            kind=self.kind,
            dp_replicate=self.setup.dp_replicate,
            shard_ranks=self.setup.shard_ranks,
            reserved_gib=round(self.reserved_gib, 2),
            fits=self.fits,
            tokens_per_s_per_gpu=round(self.speed.tokens_per_s_per_gpu, 1),
            network_gb_per_step=round(self.network_gb, 1),
            chosen=chosen,
        )


@dataclass(frozen=True)
class Place:
    """Where and how tightly."""

    machine: Machine
    """GPU and links."""
    capacity_gib: float | None
    """Memory of a device; None: whether it fits is not judged."""
    margin_pct: float
    """Share of the peak that must stay free on top of it."""

    @property
    def limit_gib(self) -> float | None:
        """The largest reserved peak that fits."""
        return None if self.capacity_gib is None else limit_gib(self.capacity_gib, self.margin_pct)


def meshes(shape: ModelShape, base: TrainingSetup, place: Place, *, with_reshard: bool = True) -> list[Mesh]:
    """Return the meshes that there are, full sharding first, then HSDP from few replicas to many.

    Args:
        shape: The model.
        base: All other settings.
        place: Machines and memory.
        with_reshard: Whether resharding to a machine is one of them; the built-in recipe has no such setting.
    """
    per_node = place.machine.fabric(base.ranks).per_node
    if base.post_forward_ranks:  # it is one of the kinds below
        base = base.model_copy(update={"reshard_after_forward": True})
    found = [_mesh(shape, "full_shard", whole, place) for whole in _setups(base, {"dp_replicate": 1})]
    part = per_node // (base.tp * base.cp)
    if with_reshard and base.ranks > per_node and part > 1 and base.reshards:
        changes = {"dp_replicate": 1, "reshard_after_forward": part}
        found += [_mesh(shape, "reshard_to_node", setup, place) for setup in _setups(base, changes)]
    for count in replicas(base.ranks // base.pp, per_node)[1:]:
        found += [_mesh(shape, "hsdp", setup, place) for setup in _setups(base, {"dp_replicate": count})]
    return found


def choose(shape: ModelShape, found: list[Mesh], place: Place) -> Mesh:
    """Return the mesh to take: the fastest that fits, of equals the plainest; where none fits the leanest.

    The peak of what is returned is traced.
    """
    left = sorted(found, key=lambda mesh: -mesh.speed.tokens_per_s_per_gpu)
    while left:
        best = left[0].speed.tokens_per_s_per_gpu
        equal = [mesh for mesh in left if mesh.speed.tokens_per_s_per_gpu >= best * (1 - EQUAL)]
        for mesh in sorted(equal, key=lambda mesh: (_KINDS.index(mesh.kind), mesh.reserved_gib)):
            measure(shape, mesh, place)
            if mesh.fits is not False:
                return mesh
        left = [mesh for mesh in left if mesh not in equal]
    # the closed form knows nothing of padding: what was traced is believed first
    leanest = min([mesh for mesh in found if mesh.exact] or found, key=lambda mesh: mesh.reserved_gib)
    measure(shape, leanest, place, hopeless=True)
    return leanest


def measure(shape: ModelShape, mesh: Mesh, place: Place, *, hopeless: bool = False) -> None:
    """Trace the peak of a mesh, once; what the closed form puts far above the limit only where it is asked for."""
    limit = place.limit_gib
    if mesh.exact:
        return
    if limit is not None and mesh.reserved_gib > _HOPELESS * limit and not hopeless:
        mesh.fits = False
        return
    mesh.reserved_gib = _traced_gib(shape, _alike(mesh.setup), place.capacity_gib)
    mesh.fits = None if limit is None else mesh.reserved_gib <= limit
    mesh.exact = True


def _alike(setup: TrainingSetup) -> TrainingSetup:
    """Return the smallest setup whose ranks hold the same: two replicas are as good as many."""
    count = min(2, setup.dp_replicate)
    return setup.model_copy(update={"dp_replicate": count, "ranks": setup.ranks // setup.dp_replicate * count})


@lru_cache(maxsize=256)
def _traced_gib(shape: ModelShape, setup: TrainingSetup, capacity_gib: float | None) -> float:
    return estimate_memory(shape, setup, capacity_gib).reserved_gib


def network_gb(shape: ModelShape, setup: TrainingSetup, per_node: int) -> float:
    """Return the GB that one machine sends through its adapters in a step, by the ring's arithmetic.

    A shard group of S ranks that leaves the machine passes (S - 1)/S of every gathered and every
    reduced byte on; replicas of R reduce what the machine's ranks hold, 2 (R - 1)/R of it.
    """
    shard, tp = setup.shard_ranks, setup.tp
    leaves = shard * tp > per_node
    reductions = 1 if setup.accumulate_unsharded else setup.grad_accum
    part_leaves = setup.post_forward_ranks * tp > per_node
    sent = 0.0
    for unit in volume(shape, setup).units:
        reduced = reductions * unit.reduced_elements * DTYPE_BYTES[setup.reduce_dtype]
        if leaves:
            sent += unit.count * tp * (unit.gathers * unit.gathered_bytes + reduced) * (shard - 1) / shard
        if part_leaves:
            sent += unit.count * tp * unit.gathers_again * unit.gathered_bytes
        if setup.dp_replicate > 1:
            held = min(1.0, per_node / (tp * shard))
            sent += unit.count * tp * reduced * held * 2 * (setup.dp_replicate - 1) / setup.dp_replicate
    return sent / 1e9


def _setups(base: TrainingSetup, changes: dict[str, int]) -> list[TrainingSetup]:
    """Return the changed settings, where they go together."""
    settings = base.model_dump() | changes
    settings.pop("dp_shard")
    try:
        return [make_setup(**settings)]
    except RequestInvalid:
        return []


def _mesh(shape: ModelShape, kind: Kind, setup: TrainingSetup, place: Place) -> Mesh:
    per_node = place.machine.fabric(setup.ranks).per_node
    rough = closed_form(shape, setup).reserved_bytes / GIB
    return Mesh(kind, setup, speed_of(shape, setup, place.machine), network_gb(shape, setup, per_node), rough)
