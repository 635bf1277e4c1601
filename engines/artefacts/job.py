"""Job: what the artefacts are made of."""

from dataclasses import dataclass

from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Request
from knowledge.devices import find_device

GPUS_PER_NODE = 8
"""GPUs of a machine where a request names no machines."""


@dataclass(frozen=True)
class Job:
    """A plan's settings, and the machines that it is for."""

    model: str
    """Model as named, or its folder."""
    recipe: Recipe
    """The settings."""
    ranks: int
    """Processes in all."""
    nodes: int
    """Machines."""
    device: str
    """cuda or cpu."""
    gpu: str | None = None
    """The GPU by its name in `knowledge/hardware`, where it is known."""
    optimizer: str = "adamw"
    """Optimizer that is planned for, by its name in `contracts.request.PlannedOptimizer`."""
    method: str = "full"
    """Which weights are trained: full, lora or qlora."""

    cores_per_node: int | None = None
    """CPU cores that the job takes of each machine; None where the request does not say."""
    time_limit_minutes: int | None = None
    """Time limit of a Slurm job in minutes; None where the request does not say."""

    save_before_s: int = 120
    """Seconds before the time limit at which a Slurm job is told to save."""

    @property
    def adapters(self) -> bool:
        """Whether adapters are trained on frozen weights."""
        return self.method in ("lora", "qlora")

    @property
    def per_node(self) -> int:
        """Processes on one machine."""
        return self.ranks // self.nodes

    @property
    def shard_ranks(self) -> int:
        """Ranks over which each parameter is sharded."""
        return self.ranks // self.recipe.dp_replicate

    @property
    def global_batch(self) -> int:
        """Sequences of one optimizer step."""
        return self.ranks * self.recipe.micro_batch * self.recipe.grad_accum


def job_of(plan: Plan, request: Request) -> Job:
    """Return the job of a plan.

    Args:
        plan: The settings.
        request: Names the model and the machines.
    """
    model = request.model
    named = (model.path or model.name) if model else None
    nodes = request.hardware.nodes
    if "nodes" not in request.hardware.model_fields_set:
        nodes = max(1, -(-plan.world_size // GPUS_PER_NODE))
    if plan.world_size % nodes:
        nodes = 1
    device = find_device(request.hardware.gpu_type) if request.hardware.gpu_type else None
    gpu = device.name if device else None
    return Job(
        named or "MODEL",
        plan.recipe,
        plan.world_size,
        nodes,
        request.hardware.device,
        gpu,
        optimizer=request.optimizer or "adamw",
        method=request.method or "full",
        cores_per_node=request.hardware.cores,
        time_limit_minutes=request.slurm.time_limit_minutes if request.slurm else None,
        save_before_s=request.slurm.save_before_s if request.slurm else 120,
    )
