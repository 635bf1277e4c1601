"""Choosing a configuration: what the request states is kept, the rest is decided with reasons."""

from dataclasses import dataclass
from typing import Literal

from contracts.canonical import content_hash
from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.memory import MemoryEstimate
from contracts.need import Need
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Request
from engines.sizing.closed_form import GIB
from engines.sizing.decisions import alternative_line, decide
from engines.sizing.estimate import KNOWN_ERROR_PCT, OVERHEAD_GIB, estimate_memory
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from knowledge.devices import find_device

BYTES_PER_PARAM = 16
"""Full fine-tuning with AdamW: 4 master weight, 4 gradient, 8 optimizer state (fp32)."""

DEFAULT_LORA_RANK = 16
"""Rank of the adapters where a request for LoRA states none."""

Verdict = Literal["use_fsdp", "not_needed", "does_not_fit", "needs_more_than_fsdp"]


@dataclass(frozen=True)
class Candidate:
    """One configuration that was considered."""

    recipe: Recipe
    """Its settings."""
    memory: MemoryEstimate
    """Its predicted peak."""

    @property
    def fits(self) -> bool | None:
        """Whether the prediction fits, its stated error included; None: capacity unknown."""
        if self.memory.capacity_gib is None:
            return None
        upper = self.memory.reserved_gib * (1 + self.memory.error_pct / 100) + self.memory.overhead_gib
        return upper <= self.memory.capacity_gib


def choose_plan(request: Request, need: Need | None, shape: ModelShape) -> Plan:
    """Choose a configuration for a request; the launch and the files are added elsewhere.

    Args:
        request: What was asked; the recipe fields that it states are kept as they are.
        need: The need gate's verdict, where there is one.
        shape: The model.

    Raises:
        CannotBeKnown: The number of ranks, or the model's training method, cannot be assumed.
        RequestInvalid: Settings contradict each other; the message shows the arithmetic.
    """
    ranks = _ranks(request)
    capacity, assumptions = _capacity(request)
    candidates = [_candidate(request, shape, recipe, ranks, capacity) for recipe in _recipes(request)]
    chosen = next((option for option in candidates if option.fits is not False), candidates[-1])
    verdict = _verdict(request, need, shape, chosen, capacity)
    decisions = decide(request, shape, chosen.recipe, chosen.memory, ranks, verdict)
    others = [option for option in candidates if option is not chosen]
    return Plan(
        plan_id=_plan_id(request, shape, chosen.recipe, ranks),
        verdict=verdict,
        fits=chosen.fits,
        memory=chosen.memory,
        recipe=chosen.recipe,
        world_size=ranks,
        decisions=decisions,
        alternatives=tuple(alternative_line(option.recipe, option.memory, option.fits) for option in others),
        assumptions=(*assumptions, *_recipe_assumptions(request), *chosen.memory.assumptions),
        warnings=_warnings(request, chosen, ranks),
    )


def setup_of(request: Request, recipe: Recipe, ranks: int) -> TrainingSetup:
    """Return the setup that the built-in payload trains with under a recipe.

    Raises:
        RequestInvalid: The mesh does not multiply to the ranks.
    """
    if ranks % recipe.dp_replicate:
        raise RequestInvalid(
            f"dp_replicate {recipe.dp_replicate} does not divide the {ranks} ranks: "
            f"{ranks} / {recipe.dp_replicate} = {ranks / recipe.dp_replicate:.2f}",
            hint="choose a divisor of the number of ranks",
        )
    adapters = request.method in ("lora", "qlora")
    return make_setup(
        ranks=ranks,
        dp_replicate=recipe.dp_replicate,
        device=request.hardware.device,
        micro_batch=recipe.micro_batch,
        seq_len=recipe.seq_len,
        grad_accum=recipe.grad_accum,
        param_dtype=recipe.param_dtype,
        reduce_dtype=recipe.reduce_dtype,
        ac=recipe.activation_checkpointing,
        reshard_after_forward=recipe.reshard_after_forward,
        reshard_last=recipe.reshard_after_forward,
        cpu_offload=recipe.cpu_offload,
        accumulate_unsharded=recipe.grad_accum > 1,
        norm_kernel="decomposed",
        loss_impl="fp32_copy",
        lora_rank=DEFAULT_LORA_RANK if adapters else 0,
        base_bits=4 if request.method == "qlora" else 16,
    )


def _ranks(request: Request) -> int:
    hardware = request.hardware
    ranks = hardware.ranks or hardware.gpus
    if not ranks:
        raise CannotBeKnown(
            "the number of ranks is not stated",
            code="ranks_missing",
            hint="state hardware.gpus (GPUs over all nodes), or hardware.ranks for device cpu",
        )
    if ranks % hardware.nodes:
        raise RequestInvalid(
            f"{ranks} ranks do not divide over {hardware.nodes} nodes: {ranks / hardware.nodes:.2f} on each"
        )
    return ranks


def _capacity(request: Request) -> tuple[float | None, list[str]]:
    """Return the memory of a device in GiB, where it is known, and what was assumed for it."""
    hardware = request.hardware
    if hardware.device == "cpu":
        return None, []
    device = find_device(hardware.gpu_type) if hardware.gpu_type else None
    stated = hardware.gpu_mem_gb
    if device and (stated is None or abs(stated - device.memory_gb) < 1):
        return device.usable_gib, [f"{device.name}: {device.usable_gib} GiB usable of {device.memory_gb:g} GB"]
    if stated:
        return stated * 1e9 / GIB, [f"{stated:g} GB of device memory = {stated * 1e9 / GIB:.1f} GiB, all of it usable"]
    return None, [f"memory of {hardware.gpu_type or 'the GPU'} is not known: whether it fits is not judged"]


def _recipes(request: Request) -> list[Recipe]:
    """Return the recipes to try, the fastest first: each step gives up speed for memory."""
    stated = request.recipe.model_fields_set
    ladder: list[dict[str, object]] = [
        {"activation_checkpointing": "none", "cpu_offload": False},
        {"activation_checkpointing": "full", "cpu_offload": False},
        {"activation_checkpointing": "full", "cpu_offload": True},
    ]
    recipes: list[Recipe] = []
    for step in ladder:
        free = {name: value for name, value in step.items() if name not in stated}
        recipe = request.recipe.model_copy(update=free)
        if recipe not in recipes:
            recipes.append(recipe)
    if request.hardware.device == "cpu":
        return recipes[:1]  # host memory either way: offload moves nothing
    return recipes


def _candidate(
    request: Request, shape: ModelShape, recipe: Recipe, ranks: int, capacity_gib: float | None
) -> Candidate:
    setup = setup_of(request, recipe, ranks)
    return Candidate(recipe, estimate_memory(shape, setup, capacity_gib, KNOWN_ERROR_PCT))


def one_gpu_gib(shape: ModelShape, request: Request, recipe: Recipe) -> float:
    """Return what one device would need without sharding, in GiB.

    16 bytes for each parameter (or the frozen base and the adapters), the activations
    with full checkpointing, and the overhead.
    """
    lean = recipe.model_copy(update={"activation_checkpointing": "full", "dp_replicate": 1, "cpu_offload": False})
    setup = setup_of(request, lean, 1).model_copy(update={"fsdp": 0})
    alone = estimate_memory(shape, setup)
    if request.method in ("lora", "qlora"):
        return alone.reserved_gib + OVERHEAD_GIB
    parts = alone.breakdown_gib
    transient = parts.get("activations", 0.0) + parts.get("working", 0.0)
    return BYTES_PER_PARAM * shape.params / GIB + transient + OVERHEAD_GIB


def _verdict(
    request: Request, need: Need | None, shape: ModelShape, chosen: Candidate, capacity_gib: float | None
) -> Verdict:
    asked = need is not None and need.verdict == "use_fsdp"
    if need is not None and need.verdict == "not_needed":
        return "not_needed"
    if chosen.fits is False:
        return _why_not(shape, request, chosen, capacity_gib)
    if not asked and capacity_gib is not None and one_gpu_gib(shape, request, chosen.recipe) <= capacity_gib:
        return "not_needed"
    return "use_fsdp"


def _why_not(shape: ModelShape, request: Request, chosen: Candidate, capacity_gib: float | None) -> Verdict:
    """Tell whether more ranks would help, or whether what no sharding divides is too large."""
    many = 1 << 16
    endless = _candidate(request, shape, chosen.recipe.model_copy(update={"dp_replicate": 1}), many, capacity_gib)
    return "needs_more_than_fsdp" if endless.fits is False else "does_not_fit"


def _plan_id(request: Request, shape: ModelShape, recipe: Recipe, ranks: int) -> str:
    inputs = {
        "request": request.model_dump(mode="json"),
        "shape": shape.model_dump(mode="json"),
        "recipe": recipe.model_dump(mode="json"),
        "ranks": ranks,
    }
    return content_hash(inputs)[:12]


def _recipe_assumptions(request: Request) -> list[str]:
    """Name the defaults on which the memory depends most, where the request left them out."""
    stated = request.recipe.model_fields_set
    said = [
        f"{name} {getattr(request.recipe, name)} (the default; not stated)"
        for name in ("seq_len", "micro_batch")
        if name not in stated
    ]
    if request.method is None:
        said.append("all weights are trained (full fine-tuning); no method was stated")
    if request.method in ("lora", "qlora"):
        said.append(f"adapters of rank {DEFAULT_LORA_RANK} on every projection")
    return said


def _warnings(request: Request, chosen: Candidate, ranks: int) -> tuple[str, ...]:
    said = []
    if request.method in ("lora", "qlora"):
        said.append(f"the built-in recipe trains all weights; {request.method} needs a script of your own")
    if ranks == 1:
        said.append("one rank: FSDP shards nothing")
    if request.hardware.device == "cuda" and request.hardware.gpus and ranks > request.hardware.gpus:
        said.append(f"{ranks} ranks on {request.hardware.gpus} GPUs: two ranks cannot share a GPU under NCCL")
    if chosen.recipe.cpu_offload:
        said.append("cpu_offload: the optimizer step runs on the CPU and every step crosses PCIe twice")
    return tuple(said)
