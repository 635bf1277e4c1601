"""The reasons of a plan: one Decision for each choice, with its numbers."""

from collections.abc import Iterator

from contracts.plan import Decision, Throughput
from contracts.recipe import Recipe
from contracts.request import Language
from engines.sizing.alone import (
    ADAMW_STATE_BYTES,
    BUCKET_BYTES_PER_PARAM,
    BYTES_PER_PARAM,
    ddp_bytes_per_param,
    ddp_gib,
    one_gpu_gib,
)
from engines.sizing.closed_form import GIB
from engines.sizing.search.question import Question
from engines.sizing.search.tradeoff import line
from engines.sizing.selection import Selection
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say


def decide(question: Question, chosen: Selection, verdict: str, speed: Throughput | None) -> tuple[Decision, ...]:
    """Return every choice of a plan with its reason and the cards that it rests on."""
    return (
        _whether(question, chosen, verdict),
        *_unsharded(question, chosen),
        *_layout(question, chosen),
        *_precision(question, chosen.recipe),
        *_savings(question, chosen),
        *_speed(question, chosen, speed),
        *_beyond(question, chosen),
    )


def _layout(question: Question, chosen: Selection) -> Iterator[Decision]:
    """How it is grouped and sharded; one rank has nobody to share with."""
    if chosen.setup.ranks > 1:
        yield from _grouping(question.shape, question.language)
        yield from _sharding(question, chosen.setup, chosen.recipe)


def _whether(question: Question, chosen: Selection, verdict: str) -> Decision:
    shape, ranks, memory, language = question.shape, chosen.setup.ranks, chosen.memory, question.language
    if question.request.method in ("lora", "qlora"):
        because = say(
            "adapters", language, method=question.request.method, params=shape.params, peak=memory.reserved_gib
        )
    else:
        each = BYTES_PER_PARAM - ADAMW_STATE_BYTES + chosen.setup.state_bytes_per_param
        states = each * shape.params / GIB
        sizes = {"each": each, "params": shape.params, "states": states, "share": states / ranks}
        because = say("states", language, **sizes, ranks=ranks, optimizer=_optimizer_of(question))
    if memory.capacity_gib is not None:
        because += say("device_has", language, capacity=memory.capacity_gib)
    if verdict == "not_needed" and (why := lighter_method(question)):
        because += say("lighter", language, why=why)
    if verdict == "needs_more_than_fsdp":
        because += say("beyond_fsdp", language)
    return Decision(choice=f"verdict={verdict}", because=because, cards=("model-state-bytes", "oom-checklist"))


def _optimizer_of(question: Question) -> str:
    asked = question.request.optimizer
    return "AdamW" if asked in (None, "adamw") else str(asked)


def lighter_method(question: Question) -> str:
    """Return why adapters are enough, where the need gate says so and no method was stated; else nothing."""
    if question.need is None or question.request.method is not None:
        return ""
    enough = (reason for reason in question.need.reasons if reason.code == "lora_on_one_gpu_suffices")
    return next((reason.text for reason in enough), "")


def _unsharded(question: Question, chosen: Selection) -> Iterator[Decision]:
    """What one GPU, or a DDP replica, would hold: FSDP is needed where that is more than there is."""
    capacity, language = question.capacity_gib, question.language
    if capacity is None or question.request.hardware.device == "cpu":
        return
    held = one_gpu_gib(question.shape, chosen.setup)
    because = say("one_gpu_alone", language, alone=held)
    if question.ranks > 1 and not chosen.setup.lora_rank:
        held = ddp_gib(question.shape, chosen.setup)
        kind = "replica" if ddp_bytes_per_param(chosen.setup) > BUCKET_BYTES_PER_PARAM else "replica_fp32"
        because += say(kind, language, replica=held, more=ddp_bytes_per_param(chosen.setup))
    enough, short = "sharding_not_needed", "sharding_needed"
    if chosen.setup.ranks == 1:
        enough, short = "offloading_not_needed", "offloading_needed"
    yield Decision(
        choice=say(enough if held <= capacity else short, language),
        because=because + say("device_has", language, capacity=capacity),
        cards=("ddp-or-fsdp",),
    )


def _grouping(shape: ModelShape, language: Language) -> Iterator[Decision]:
    yield Decision(
        choice=say("grouping", language),
        because=say("grouping_why", language, layers=shape.layers),
        cards=("root-not-sharded", "shard-root-only"),
    )
    if shape.tied:
        yield Decision(
            choice=say("tied", language), because=say("tied_why", language), cards=("tied-params-split-groups",)
        )


def _sharding(question: Question, setup: TrainingSetup, recipe: Recipe) -> Iterator[Decision]:
    language, copies, shard = question.language, recipe.dp_replicate, setup.ranks // recipe.dp_replicate
    whole = DTYPE_BYTES[recipe.param_dtype] * question.shape.params / GIB
    reshards = recipe.reshard_after_forward
    yield Decision(
        choice=f"reshard_after_forward={reshards}",
        because=say("resharded" if reshards else "kept_gathered", language, whole=whole, dtype=recipe.param_dtype),
        cards=("reshard-after-forward-values",) if reshards else ("no-reshard-everywhere",),
    )
    kind, cards = ("hsdp", ("hsdp-mesh", "hsdp-dim-order")) if copies > 1 else ("one_group", ("fully-shard-basics",))
    counts = {"copies": copies, "shard": shard, "ranks": setup.ranks}
    yield Decision(choice=say(kind, language, **counts), because=say(f"{kind}_why", language, **counts), cards=cards)


def _precision(question: Question, recipe: Recipe) -> Iterator[Decision]:
    language = question.language
    cards: tuple[str, ...]
    because, cards = say("master", language, optimizer=_optimizer_of(question)), ("low-precision-master-weights",)
    if recipe.param_dtype == "fp32":
        because = say("fp32_stated", language)
    if recipe.param_dtype == "fp32" and "param_dtype" not in question.request.recipe.model_fields_set:
        assert question.machine is not None, "it was chosen for what the GPU lacks"
        device = question.machine.device
        because = say("fp32_for_want_of_bf16", language, device=device.name, tflops=device.fp32_tflops or 0.0)
        cards = ("fp16-without-scaler", "gradscaler-fsdp2")
    yield Decision(choice=f"param_dtype={recipe.param_dtype}, master weights fp32", because=because, cards=cards)
    if recipe.reduce_dtype == "fp32":
        why = "reduce_as_is" if recipe.param_dtype == "fp32" else "reduce_fp32"
    else:
        why = "reduce_bf16"
    yield Decision(
        choice=f"reduce_dtype={recipe.reduce_dtype}",
        because=say(why, language),
        cards=("implicit-low-precision-reduce",),
    )


def _savings(question: Question, chosen: Selection) -> Iterator[Decision]:
    memory, language = chosen.memory, question.language
    number = say("peak_predicted", language, peak=memory.reserved_gib, error=memory.error_pct)
    if memory.margin_gib is not None:
        number += say("margin_left", language, margin=memory.margin_gib)
    for name, card in (("activation_checkpointing", "activation-checkpointing"), ("cpu_offload", "cpu-offload")):
        how = "how_fastest_fitting"
        if name in question.request.recipe.model_fields_set:
            how = "how_stated"
        elif memory.capacity_gib is None:
            how = "how_fastest"
        elif chosen.fits is False:
            how = "how_leanest"
        yield Decision(
            choice=f"{name}={getattr(chosen.recipe, name)}", because=say(how, language) + number, cards=(card,)
        )


def _speed(question: Question, chosen: Selection, speed: Throughput | None) -> Iterator[Decision]:
    """Why this batch, and what bounds the step."""
    if speed is None:
        return
    aim, language, setup = question.request.aim, question.language, chosen.setup
    per_step = setup.micro_batch * setup.grad_accum * setup.dp_shard * setup.dp_replicate
    if chosen.considered > 1:
        why = "batch_why_none" if chosen.fits is False else "batch_why"
        numbers = {"considered": chosen.considered, "traced": chosen.traced}
        batch = {"batch": chosen.recipe.micro_batch, "sequences": per_step, "seq_len": chosen.recipe.seq_len}
        yield Decision(
            choice=say("batch", language, **batch),
            because=say(why, language, goal=aim.goal, margin=aim.margin_pct, **numbers),
            cards=("global-batch-size-fsdp",),
        )
    parts = sorted(speed.breakdown_s.items(), key=lambda part: -part[1])[:4]
    shown = ", ".join(say("step_part", language, name=name, seconds=seconds) for name, seconds in parts)
    yield Decision(
        choice=say("speed", language, speed=speed.tokens_per_s_per_gpu, bound=speed.bound_by),
        because=say("speed_why", language, step=speed.step_s, error=speed.error_pct, parts=shown),
        cards=("mfu-and-throughput", "communication-volume"),
    )


def _beyond(question: Question, chosen: Selection) -> Iterator[Decision]:
    """What would fit, where the built-in recipe does not."""
    if chosen.fits is not False or not chosen.others:
        return
    first = chosen.others[0]
    yield Decision(
        choice=say("would_fit", question.language),
        because=line(first, question.language),
        cards=first.cards or ("oom-checklist",),
    )
