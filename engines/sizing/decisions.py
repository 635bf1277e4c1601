"""The reasons of a plan: one Decision for each choice, with its numbers."""

from collections.abc import Iterator

from contracts.memory import MemoryEstimate
from contracts.plan import Decision
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.units import count_text, size_text
from engines.sizing.closed_form import GIB
from engines.sizing.setup import DTYPE_BYTES
from engines.sizing.shape import ModelShape


def decide(
    request: Request, shape: ModelShape, recipe: Recipe, memory: MemoryEstimate, ranks: int, verdict: str
) -> tuple[Decision, ...]:
    """Return every choice of a plan with its reason and the cards that it rests on."""
    return (
        _whether(shape, memory, ranks, verdict, request),
        *_grouping(shape),
        *_sharding(shape, recipe, ranks),
        *_precision(recipe),
        *_savings(request, recipe, memory),
    )


def alternative_line(recipe: Recipe, memory: MemoryEstimate, fits: bool | None) -> str:
    """Return one considered configuration, what it needs and what it gives up."""
    gives_up = []
    if recipe.activation_checkpointing == "full":
        gives_up.append("about a third more compute (each block's forward runs twice)")
    if recipe.cpu_offload:
        gives_up.append("speed: parameters and gradients cross PCIe every step")
    if not recipe.reshard_after_forward:
        gives_up.append("memory: gathered parameters stay")
    judged = {True: "fits", False: "does not fit", None: "not judged"}[fits]
    return (
        f"activation_checkpointing={recipe.activation_checkpointing}, cpu_offload={recipe.cpu_offload}: "
        f"{size_text(memory.reserved_gib)} reserved, {judged}; gives up {'; '.join(gives_up) or 'nothing'}"
    )


def _whether(shape: ModelShape, memory: MemoryEstimate, ranks: int, verdict: str, request: Request) -> Decision:
    states = 16 * shape.params / GIB
    arithmetic = (
        f"16 bytes x {count_text(shape.params)} parameters = {size_text(states)} of weights, gradients and "
        f"AdamW state; {size_text(states / ranks)} on each of {ranks} ranks"
    )
    limit = "" if memory.capacity_gib is None else f"; a device has {size_text(memory.capacity_gib)}"
    if request.method in ("lora", "qlora"):
        peak = size_text(memory.reserved_gib)
        arithmetic = f"{request.method}: {count_text(shape.params)} frozen parameters; predicted {peak}"
    return Decision(choice=f"verdict={verdict}", because=arithmetic + limit, cards=("model-state-bytes",))


def _grouping(shape: ModelShape) -> Iterator[Decision]:
    yield Decision(
        choice="fully_shard on each decoder block, then on the root",
        because=f"{shape.layers} blocks are gathered one at a time; the root takes embedding, norm and head, "
        "which would otherwise stay unsharded and unreduced",
        cards=("root-not-sharded", "shard-root-only"),
    )
    if shape.tied:
        yield Decision(
            choice="embedding and head stay in one group (the root)",
            because="their weight is one tensor; in two groups it would be sharded twice",
            cards=("tied-params-split-groups",),
        )


def _sharding(shape: ModelShape, recipe: Recipe, ranks: int) -> Iterator[Decision]:
    shard = ranks // recipe.dp_replicate
    whole = DTYPE_BYTES[recipe.param_dtype] * shape.params / GIB
    if recipe.reshard_after_forward:
        because = f"keeping all parameters gathered after forward would hold {size_text(whole)} ({recipe.param_dtype})"
    else:
        because = f"saves one all-gather in the backward and holds {size_text(whole)} of gathered parameters for it"
    yield Decision(
        choice=f"reshard_after_forward={recipe.reshard_after_forward}",
        because=because,
        cards=("reshard-after-forward-values",) if recipe.reshard_after_forward else ("no-reshard-everywhere",),
    )
    if recipe.dp_replicate > 1:
        yield Decision(
            choice=f"HSDP mesh (replicate {recipe.dp_replicate}, shard {shard})",
            because=f"stated: {recipe.dp_replicate} x {shard} = {ranks} ranks; each holds 1/{shard} of the states",
            cards=("hsdp-mesh", "hsdp-dim-order"),
        )
    else:
        yield Decision(
            choice=f"one shard group of {ranks} ranks",
            because=f"each rank holds 1/{ranks} of weights, gradients and optimizer state",
            cards=("fully-shard-basics",),
        )


def _precision(recipe: Recipe) -> Iterator[Decision]:
    yield Decision(
        choice=f"param_dtype={recipe.param_dtype}, master weights fp32",
        because="AdamW updates are smaller than a bf16 weight resolves (8 bits of mantissa), "
        "so the sharded copy stays fp32",
        cards=("low-precision-master-weights",),
    )
    if recipe.reduce_dtype == "fp32":
        because = "summing gradients of many ranks in bf16 loses the small ones; left out, it follows param_dtype"
    else:
        because = "stated: half the reduce-scatter traffic, less accurate sums"
    yield Decision(
        choice=f"reduce_dtype={recipe.reduce_dtype}", because=because, cards=("implicit-low-precision-reduce",)
    )


def _savings(request: Request, recipe: Recipe, memory: MemoryEstimate) -> Iterator[Decision]:
    stated = request.recipe.model_fields_set
    number = f"predicted peak {size_text(memory.reserved_gib)} reserved, plus or minus {memory.error_pct:.0f} %"
    number += "" if memory.margin_gib is None else f"; margin {size_text(memory.margin_gib)}"
    for name in ("activation_checkpointing", "cpu_offload"):
        how = "stated in the request" if name in stated else "the fastest setting that fits"
        if name not in stated and memory.capacity_gib is None:
            how = "the fastest setting; the capacity is not known"
        yield Decision(
            choice=f"{name}={getattr(recipe, name)}",
            because=f"{how}; {number}",
            cards=("activation-checkpointing" if name == "activation_checkpointing" else "cpu-offload",),
        )
