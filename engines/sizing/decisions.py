"""The reasons of a plan: one Decision for each choice, with its numbers."""

from collections.abc import Iterator

from contracts.plan import Decision, Throughput
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.units import count_text, size_text
from engines.sizing.alone import ADAMW_STATE_BYTES, BYTES_PER_PARAM, DDP_BYTES_PER_PARAM, ddp_gib, one_gpu_gib
from engines.sizing.closed_form import GIB
from engines.sizing.search.question import Question
from engines.sizing.search.tradeoff import line
from engines.sizing.selection import Selection
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape


def decide(question: Question, chosen: Selection, verdict: str, speed: Throughput | None) -> tuple[Decision, ...]:
    """Return every choice of a plan with its reason and the cards that it rests on."""
    return (
        _whether(question, chosen, verdict),
        *_unsharded(question, chosen),
        *_grouping(question.shape),
        *_sharding(question.shape, chosen.setup, chosen.recipe),
        *_precision(chosen.recipe, _optimizer_of(question)),
        *_savings(question.request, chosen),
        *_speed(question, chosen, speed),
        *_beyond(chosen),
    )


def _whether(question: Question, chosen: Selection, verdict: str) -> Decision:
    shape, ranks, memory = question.shape, chosen.setup.ranks, chosen.memory
    each = BYTES_PER_PARAM - ADAMW_STATE_BYTES + chosen.setup.state_bytes_per_param
    states, optimizer = each * shape.params / GIB, _optimizer_of(question)
    arithmetic = (
        f"{each:g} bytes x {count_text(shape.params)} parameters = {size_text(states)} of weights, gradients and "
        f"{optimizer} state; {size_text(states / ranks)} on each of {ranks} ranks"
    )
    limit = "" if memory.capacity_gib is None else f"; a device has {size_text(memory.capacity_gib)}"
    if question.request.method in ("lora", "qlora"):
        peak = size_text(memory.reserved_gib)
        arithmetic = f"{question.request.method}: {count_text(shape.params)} frozen parameters; predicted {peak}"
    elif verdict == "not_needed" and (lighter := lighter_method(question)):
        limit += f", so training all weights needs more than a GPU; but no method was stated, and {lighter}"
    if verdict == "needs_more_than_fsdp":
        limit += "; on any number of ranks, what sharding does not divide (activations, logits, gathered groups) is "
        limit += "too large: tensor or context parallelism, a fused loss, shorter sequences"
    return Decision(
        choice=f"verdict={verdict}", because=arithmetic + limit, cards=("model-state-bytes", "oom-checklist")
    )


def _optimizer_of(question: Question) -> str:
    asked = question.request.optimizer
    return "AdamW" if asked in (None, "adamw") else str(asked)


def lighter_method(question: Question) -> str:
    """Return why adapters are enough, where the need gate says so and no method was stated; else nothing."""
    if question.need is None or question.request.method is not None:
        return ""
    enough = (reason for reason in question.need.reasons if reason.code == "lora_on_one_gpu_suffices")
    return next((f"LoRA does without FSDP: {reason.text}" for reason in enough), "")


def _unsharded(question: Question, chosen: Selection) -> Iterator[Decision]:
    """What one GPU, or a DDP replica, would hold: FSDP is needed where that is more than there is."""
    capacity = question.capacity_gib
    if capacity is None or question.request.hardware.device == "cpu":
        return
    alone = one_gpu_gib(question.shape, chosen.setup)
    text = f"one GPU alone: {size_text(alone)} (states, and activations and logits with full checkpointing)"
    if question.ranks > 1 and not chosen.setup.lora_rank:
        replica = ddp_gib(question.shape, chosen.setup)
        text += (
            f"; a DDP replica: {size_text(replica)}, with {DDP_BYTES_PER_PARAM} bytes a parameter more "
            "for gradient buckets (4) and autocast's bf16 copies (2)"
        )
        alone = replica
    holds = alone <= capacity
    word = "not needed to fit" if holds else "needed to fit"
    yield Decision(
        choice=f"sharding is {word}", because=f"{text}; a device has {size_text(capacity)}", cards=("ddp-or-fsdp",)
    )


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


def _sharding(shape: ModelShape, setup: TrainingSetup, recipe: Recipe) -> Iterator[Decision]:
    ranks, shard = setup.ranks, setup.ranks // recipe.dp_replicate
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
            because=f"{recipe.dp_replicate} x {shard} = {ranks} ranks; each holds 1/{shard} of the states",
            cards=("hsdp-mesh", "hsdp-dim-order"),
        )
    else:
        yield Decision(
            choice=f"one shard group of {ranks} ranks",
            because=f"each rank holds 1/{ranks} of weights, gradients and optimizer state",
            cards=("fully-shard-basics",),
        )


def _precision(recipe: Recipe, optimizer: str) -> Iterator[Decision]:
    because = f"{optimizer} updates are smaller than a bf16 weight resolves (8 bits of mantissa), "
    because += "so the sharded copy stays fp32"
    if recipe.param_dtype == "fp32":
        because = "stated: products in fp32 too, at twice the bytes of bf16 for gathered parameters and activations"
    yield Decision(
        choice=f"param_dtype={recipe.param_dtype}, master weights fp32",
        because=because,
        cards=("low-precision-master-weights",),
    )
    if recipe.reduce_dtype == "fp32" and recipe.param_dtype == "fp32":
        because = "gradients are fp32 as they come; nothing is rounded on the way"
    elif recipe.reduce_dtype == "fp32":
        because = "summing gradients of many ranks in bf16 loses the small ones; left out, it follows param_dtype"
    else:
        because = "stated: half the reduce-scatter traffic, less accurate sums"
    yield Decision(
        choice=f"reduce_dtype={recipe.reduce_dtype}", because=because, cards=("implicit-low-precision-reduce",)
    )


def _savings(request: Request, chosen: Selection) -> Iterator[Decision]:
    stated, memory = request.recipe.model_fields_set, chosen.memory
    number = f"predicted peak {size_text(memory.reserved_gib)} reserved, plus or minus {memory.error_pct:.0f} %"
    number += "" if memory.margin_gib is None else f"; margin {size_text(memory.margin_gib)}"
    for name in ("activation_checkpointing", "cpu_offload"):
        how = "stated in the request" if name in stated else "the fastest setting that fits"
        if name not in stated and memory.capacity_gib is None:
            how = "the fastest setting; the capacity is not known"
        elif name not in stated and chosen.fits is False:
            how = "the leanest setting; it does not fit"
        yield Decision(
            choice=f"{name}={getattr(chosen.recipe, name)}",
            because=f"{how}; {number}",
            cards=("activation-checkpointing" if name == "activation_checkpointing" else "cpu-offload",),
        )


def _speed(question: Question, chosen: Selection, speed: Throughput | None) -> Iterator[Decision]:
    """Why this batch, and what bounds the step."""
    if speed is None:
        return
    aim = question.request.aim
    per_step = chosen.setup.micro_batch * chosen.setup.grad_accum * chosen.setup.dp_shard * chosen.setup.dp_replicate
    if chosen.considered > 1:
        because = f"{aim.goal} with {aim.margin_pct:g} % of margin, of {chosen.considered} configurations "
        because += f"({chosen.traced} by the allocation trace); speeds within 2 % count as equal, the smaller peak wins"
        yield Decision(
            choice=f"micro_batch={chosen.recipe.micro_batch}: {per_step} sequences of {chosen.recipe.seq_len} a step",
            because=because,
            cards=("global-batch-size-fsdp",),
        )
    parts = sorted(speed.breakdown_s.items(), key=lambda part: -part[1])
    shown = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in parts[:4])
    yield Decision(
        choice=f"{speed.tokens_per_s_per_gpu:,.0f} tokens/s per GPU, bound by {speed.bound_by}",
        because=f"a step takes {speed.step_s:.3f} s, plus or minus {speed.error_pct:.0f} %: {shown}",
        cards=("mfu-and-throughput", "communication-volume"),
    )


def _beyond(chosen: Selection) -> Iterator[Decision]:
    """What would fit, where the built-in recipe does not."""
    if chosen.fits is not False or not chosen.others:
        return
    first = chosen.others[0]
    yield Decision(choice="what would fit", because=line(first), cards=first.cards or ("oom-checklist",))
