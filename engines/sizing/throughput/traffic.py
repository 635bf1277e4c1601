"""What a step moves over the links: the collectives of each kind of parallelism, in seconds."""

from dataclasses import dataclass
from functools import lru_cache

from engines.sizing import weights
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.fabric import Fabric, Reach, ring_s
from engines.sizing.throughput.work import adapter_params

PCIE_GB_PER_S = 32.0
"""PCIe 4.0 x16 in one direction: what a GPU has towards the host at least on the machines of
`knowledge/hardware` from Ampere on."""

PCIE_SHARE = 0.8
"""Share of the PCIe bandwidth that copies from pinned memory attain."""

HOST_GB_PER_S = 25.0
"""Host memory bandwidth for one rank's AdamW on the CPU: a two-socket server's 400 GB/s over
eight ranks, half of it attained."""


@dataclass(frozen=True)
class Exchange:
    """Seconds on the links in one optimizer step."""

    gather_s: float = 0.0
    """All-gathers of parameters; they overlap with compute."""
    reduce_s: float = 0.0
    """Reduce-scatters of gradients (DDP: the all-reduce); they overlap with the backward."""
    replicate_s: float = 0.0
    """All-reduces across the replicas of HSDP; they overlap with the backward."""
    exposed_s: float = 0.0
    """What nothing hides: tensor parallelism, copies of offloading, the optimizer on the CPU."""

    @property
    def hidden_s(self) -> float:
        """What may hide behind compute."""
        return self.gather_s + self.reduce_s + self.replicate_s


@dataclass(frozen=True)
class Unit:
    """A group of parameters that is gathered together, and how many like it there are."""

    count: float
    """Groups of this kind on a rank."""
    gathered_bytes: float
    """What every rank holds once it is gathered."""
    reduced_elements: float
    """Elements of its gradient before the reduction."""
    gathers: float
    """All-gathers in one optimizer step."""
    gathers_again: float = 0.0
    """Further ones in the backward from the smaller mesh that it was resharded to."""


@dataclass(frozen=True)
class Volume:
    """What one step moves, whatever the links are."""

    units: tuple[Unit, ...]
    """Parameter groups; empty without FSDP."""
    all_reduced_bytes: float
    """DDP's gradients."""
    tensor_bytes: float
    """The residual stream that tensor parallelism gathers or scatters each time."""
    tensor_times: float
    """How often in a step."""
    offload_s: float
    """Copies of offloading over PCIe and the optimizer on the CPU, in seconds."""


def volume(shape: ModelShape, setup: TrainingSetup) -> Volume:
    """Return what one rank moves in one optimizer step."""
    times = 0.0
    if setup.tp > 1:
        # Two all-gathers and two reduce-scatters in forward, the same in backward; full
        # checkpointing repeats the forward's.
        times = shape.layers / setup.pp * setup.grad_accum * (8 + (4 if setup.ac == "full" else 0))
    replicated = setup.fsdp == 0 and setup.ranks > 1
    return Volume(
        units=_units(shape, setup) if setup.fsdp else (),
        all_reduced_bytes=DTYPE_BYTES[setup.master_dtype] * _trained(shape, setup) if replicated else 0.0,
        tensor_bytes=setup.act_bytes * setup.tokens * shape.hidden,
        tensor_times=times,
        offload_s=_offload_s(shape, setup),
    )


def exchange(moved: Volume, setup: TrainingSetup, fabric: Fabric, reach: Reach) -> Exchange:
    """Return the time of every collective and copy of one optimizer step."""
    exposed = moved.offload_s + moved.tensor_times * ring_s(moved.tensor_bytes, setup.tp, 1, fabric, reach)
    if setup.fsdp == 0:
        ranks = setup.ranks // (setup.tp * setup.pp)
        # An all-reduce is a reduce-scatter and an all-gather.
        return Exchange(reduce_s=2 * ring_s(moved.all_reduced_bytes, ranks, setup.tp, fabric, reach), exposed_s=exposed)
    shard, stride = setup.shard_ranks, setup.tp
    reductions = 1 if setup.accumulate_unsharded else setup.grad_accum
    gather = reduce = replicate = 0.0
    for unit in moved.units:
        gather += unit.count * unit.gathers * ring_s(unit.gathered_bytes, shard, stride, fabric, reach)
        part = setup.post_forward_ranks or 1
        gather += unit.count * unit.gathers_again * ring_s(unit.gathered_bytes, part, stride, fabric, reach)
        size = unit.reduced_elements * DTYPE_BYTES[setup.reduce_dtype]
        reduce += unit.count * reductions * ring_s(size, shard, stride, fabric, reach)
        if setup.dp_replicate > 1:  # one rank's shard is reduced across the replicas
            across = ring_s(size / shard, setup.dp_replicate, stride * shard, fabric, reach)
            replicate += unit.count * reductions * 2 * across
    return Exchange(gather, reduce, replicate, exposed)


def gathers_per_step(setup: TrainingSetup) -> float:
    """Return how often a block's parameters are gathered in one optimizer step.

    In forward and again in backward; once where they stay gathered in between.
    """
    return (2.0 if setup.reshards else 1.0) * setup.grad_accum


def _units(shape: ModelShape, setup: TrainingSetup) -> tuple[Unit, ...]:
    """Return the blocks and the root; experts and dense blocks count as blocks of average size."""
    split = setup.tp * setup.pp
    outer, blocks = _sizes(shape)
    adapters = adapter_params(shape, setup) if setup.lora_rank else 0.0
    narrow = 1.0 if setup.float8_all_gather else float(setup.act_bytes)
    if setup.lora_rank:
        sent = min(setup.base_bits / 8, setup.act_bytes)
        size, learned, ends = sent * blocks + setup.act_bytes * adapters, adapters, 0.0
    else:
        size, learned, ends = narrow * blocks, float(blocks), float(outer)
    if setup.wrap == "root":
        whole = (size + setup.act_bytes * outer) / split
        return (Unit(1, whole, (learned + ends) / split, setup.grad_accum),)
    layers = shape.layers / setup.pp
    often = gathers_per_step(setup)
    from_part = often / 2 if setup.post_forward_ranks else 0.0
    again = 2.0 if setup.root_reshard and setup.reshard_after_forward else 1.0
    root = setup.act_bytes * outer / split
    return (
        Unit(layers, size / shape.layers / setup.tp, learned / shape.layers / setup.tp, often - from_part, from_part),
        Unit(1, root, ends / split, again * setup.grad_accum),
    )


@lru_cache(maxsize=64)
def _sizes(shape: ModelShape) -> tuple[int, int]:
    """Return the parameters outside the blocks, and those within."""
    outer = weights.outer_numel(shape)
    return outer, shape.params - outer


def _trained(shape: ModelShape, setup: TrainingSetup) -> float:
    return (adapter_params(shape, setup) if setup.lora_rank else sum(_sizes(shape))) / (setup.tp * setup.pp)


def _offload_s(shape: ModelShape, setup: TrainingSetup) -> float:
    """Shards cross PCIe before each gather, gradients after the reduction; AdamW runs on the CPU."""
    if not setup.cpu_offload:
        return 0.0
    master = DTYPE_BYTES[setup.master_dtype]
    shard = sum(_sizes(shape)) / (setup.tp * setup.pp * setup.shard_ranks)
    trained = _trained(shape, setup) / setup.shard_ranks
    kept = (setup.base_bits / 8 if setup.lora_rank else master) * shard
    copied = gathers_per_step(setup) * kept + setup.grad_accum * master * trained
    optimizer = 7 * master * trained  # four reads, three writes
    return copied / (PCIE_GB_PER_S * PCIE_SHARE * 1e9) + optimizer / (HOST_GB_PER_S * 1e9)
