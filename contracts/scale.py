"""Scale: what a plan for several machines adds: mesh, expected scaling, checkpoints and failures."""

from typing import Literal

from contracts.base import Contract


class MeshOption(Contract):
    """One way to lay a model over several machines."""

    kind: Literal["full_shard", "hsdp", "reshard_to_node"]
    """Over all ranks; replicas of whole machines; over all ranks, but kept within a machine between
    forward and backward."""
    dp_replicate: int
    """Replicas."""
    shard_ranks: int
    """Ranks over which each parameter is sharded."""
    reserved_gib: float
    """Predicted peak of the reserved memory of one rank, in GiB."""
    fits: bool | None
    """Whether it fits with the margin; None where the device's memory is not known."""
    tokens_per_s_per_gpu: float
    """Predicted speed."""
    network_gb_per_step: float
    """GB (1e9 bytes) that one machine sends through its network adapters in one optimizer step."""
    chosen: bool
    """Whether the plan takes it."""


class ScalePoint(Contract):
    """The job on one number of machines."""

    nodes: int
    """Machines."""
    gpus: int
    """GPUs in all."""
    mesh: str
    """The fastest mesh that fits, such as "4 x 8" (replicas x shard ranks)."""
    global_batch_tokens: int
    """Tokens of one optimizer step."""
    reserved_gib: float
    """Predicted peak of the reserved memory of one rank, in GiB."""
    fits: bool | None
    """Whether it fits; None where the device's memory is not known."""
    tokens_per_s: float
    """Tokens a second of all GPUs together, while nothing fails."""
    useful_tokens_per_s: float
    """The same with the time for checkpoints and failures in it."""
    efficiency_pct: float
    """Useful tokens a second and GPU, in percent of the smallest number of machines that fits."""
    bound_by: str
    """What limits a step."""


class Checkpointing(Contract):
    """Size, time and interval of checkpoints, and what failures cost."""

    size_gb: float
    """One checkpoint in GB (1e9 bytes): sharded weights and optimizer state."""
    write_s: float
    """Seconds that the training waits for it."""
    hours_between_failures: float
    """Mean time between failures of the whole job."""
    interval_s: float
    """Seconds of training between two checkpoints that cost the least time in all (Daly 2006)."""
    interval_steps: int
    """The same in optimizer steps, at least one."""
    young_s: float
    """The first-order interval (Young 1974), for comparison; it counts the checkpoint's own time in."""
    useful_pct: float
    """Share of the wall time that makes progress."""
    saving_pct: float
    """Share of the wall time in which checkpoints are written."""
    lost_pct: float
    """Share of the wall time that failures take: work done again and restarts."""
    arithmetic: tuple[str, ...]
    """How it can be checked by hand."""
    sources: tuple[str, ...]
    """Where formulas and defaults come from."""
    assumptions: tuple[str, ...]
    """What was assumed."""


class Scale(Contract):
    """A plan for several machines, beyond its settings."""

    meshes: tuple[MeshOption, ...]
    """The ways to lay the model over the machines, the fastest that fits marked as chosen."""
    mesh_because: str
    """Why that one."""
    curve: tuple[ScalePoint, ...]
    """Expected scaling over numbers of machines."""
    most_nodes: int
    """Machines with the most useful tokens a second, of those in the curve."""
    turns_over: bool
    """Whether more machines than that, within the curve, give fewer tokens a second."""
    says: str
    """The curve in a sentence."""
    checkpointing: Checkpointing | None
    """Checkpoints and failures; None where the speed is not predicted."""
    hours: float | None = None
    """Wall hours for the planned tokens with checkpoints and failures; None where no tokens are stated."""
    gpu_hours: float | None = None
    """The same times the GPUs."""
    cost: float | None = None
    """GPU hours times the stated price."""
    arithmetic: tuple[str, ...] = ()
    """How mesh and cost can be checked by hand."""
