"""Choosing a configuration: what the request states is kept, the rest is decided with reasons."""

from typing import Literal

from contracts.canonical import content_hash
from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.memory import MemoryEstimate
from contracts.need import Need
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Language, Request
from contracts.scale import Scale
from engines.sizing.alone import ddp_gib, one_gpu_gib
from engines.sizing.closed_form import GIB
from engines.sizing.decisions import decide, lighter_method
from engines.sizing.estimate import KNOWN_ERROR_PCT, estimate_memory
from engines.sizing.half_precision import bf16_assumptions, bf16_warnings, recipe_for
from engines.sizing.remarks import DEFAULT_LORA_RANK, recipe_assumptions, recipe_warnings
from engines.sizing.scale.outlook import outlook, scale_decisions
from engines.sizing.search.bill import bill_for
from engines.sizing.search.option import fits
from engines.sizing.search.question import Question
from engines.sizing.search.tradeoff import line
from engines.sizing.selection import Selection, select
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
from engines.sizing.throughput.predict import Machine, throughput_of
from knowledge.devices import Device, devices, find_device

Verdict = Literal["use_fsdp", "not_needed", "does_not_fit", "needs_more_than_fsdp"]

_ENDLESS = 1 << 16
"""More ranks than anyone has: what does not fit on them, no sharding makes fit."""


def choose_plan(request: Request, need: Need | None, shape: ModelShape) -> Plan:
    """Choose a configuration for a request; the launch and the files are added elsewhere.

    Args:
        request: What was asked; the recipe fields that it states are kept as they are.
        need: The need gate's verdict, where there is one.
        shape: The model.

    Raises:
        CannotBeKnown: The number of ranks, or the network, cannot be assumed.
        RequestInvalid: Settings contradict each other; the message shows the arithmetic.
    """
    language, runs = request.language or "en", (request.intent or (need and need.intent)) == "run"
    ranks = _ranks(request, language)
    device, capacity, assumptions = _capacity(request, language, runs=runs)
    machine = _machine(request, device)
    base = setup_of(request, recipe_for(device, request), ranks)
    question = Question(request, need, shape, ranks, machine, capacity)
    chosen = select(question, base)
    verdict = _verdict(question, chosen)
    speed = throughput_of(shape, chosen.setup, machine, language) if machine else None
    ranks, memory = chosen.setup.ranks, _memory_in(language, question, chosen)
    tokens = _planned_tokens(request, chosen)
    scale = outlook(question, chosen.setup, tokens)
    recipe = _saving_in_time(request, chosen.recipe, scale)
    assumptions += bf16_assumptions(device, recipe, language)
    return Plan(
        plan_id=_plan_id(request, shape, recipe, ranks),
        verdict=verdict,
        fits=chosen.fits,
        memory=memory,
        throughput=speed,
        recipe=recipe,
        world_size=ranks,
        decisions=(*decide(question, chosen, verdict, speed), *(scale_decisions(scale, language) if scale else ())),
        alternatives=tuple(line(other, language) for other in chosen.others),
        ranked=chosen.others,
        bill=bill_for(request.aim, tokens, speed, ranks, language) if speed else None,
        scale=scale,
        assumptions=(*assumptions, *recipe_assumptions(request, chosen, language), *memory.assumptions),
        warnings=(*recipe_warnings(request, chosen, language), *bf16_warnings(device, recipe, language)),
    )


def setup_of(request: Request, recipe: Recipe, ranks: int) -> TrainingSetup:
    """Return the setup that the built-in payload trains with under a recipe.

    Raises:
        RequestInvalid: The mesh does not multiply to the ranks.
    """
    copies, language = recipe.dp_replicate, request.language or "en"
    if ranks % copies:
        raise RequestInvalid(
            say("replicas_uneven", language, copies=copies, ranks=ranks, share=ranks / copies),
            hint=say("replicas_uneven_hint", language),
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
        optimizer=request.optimizer or "adamw",
        lora_rank=DEFAULT_LORA_RANK if adapters else 0,
        base_bits=4 if request.method == "qlora" else 16,
    )


def _memory_in(language: Language, question: Question, chosen: Selection) -> MemoryEstimate:
    """Return the prediction with its words in a language; the search makes it in English."""
    if language == "en":
        return chosen.memory
    error = chosen.memory.error_pct
    return estimate_memory(question.shape, chosen.setup, question.capacity_gib, error, language=language)


def _ranks(request: Request, language: Language) -> int:
    hardware = request.hardware
    ranks = hardware.ranks or hardware.gpus
    if not ranks:
        raise CannotBeKnown(
            say("ranks_missing", language), code="ranks_missing", hint=say("ranks_missing_hint", language)
        )
    if ranks % hardware.nodes:
        raise RequestInvalid(
            say("nodes_uneven", language, ranks=ranks, nodes=hardware.nodes, share=ranks / hardware.nodes)
        )
    return ranks


def _capacity(request: Request, language: Language, *, runs: bool) -> tuple[Device | None, float | None, list[str]]:
    """Return the GPU and its memory in GiB, where they are known, and what was assumed for it.

    Raises:
        CannotBeKnown: A plan is for a GPU that is not known; a run will find out what it has.
    """
    hardware = request.hardware
    if hardware.device == "cpu":
        return None, None, []
    device = find_device(hardware.gpu_type) if hardware.gpu_type else None
    stated = hardware.gpu_mem_gb
    if device and (stated is None or abs(stated - device.memory_gb) < 1):
        values = {"device": device.name, "usable": device.usable_gib, "memory": device.memory_gb}
        return device, device.usable_gib, [say("usable", language, **values)]
    if stated:
        gib = stated * 1e9 / GIB
        return device, gib, [say("stated_memory", language, memory=stated, gib=gib)]
    if hardware.gpu_type and not runs:
        known = ", ".join(each.name for each in devices().values())
        raise CannotBeKnown(
            say("gpu_unknown", language, device=hardware.gpu_type),
            code="gpu_unknown",
            hint=say("gpu_unknown_hint", language, known=known),
        )
    named = hardware.gpu_type or say("the_gpu", language)
    return None, None, [say("capacity_unknown", language, device=named)]


def _machine(request: Request, device: Device | None) -> Machine | None:
    hardware = request.hardware
    if device is None:
        return None
    # A goal of few GPUs tries other world sizes: machines of eight then.
    stated = "nodes" in hardware.model_fields_set and request.aim.goal != "fewest_gpus"
    return Machine(device, hardware.nodes if stated else None, hardware.network)


def _verdict(question: Question, chosen: Selection) -> Verdict:
    need, capacity = question.need, question.capacity_gib
    alone = None if capacity is None else replica_gib(question, chosen) <= capacity
    if need is not None and need.verdict == "not_needed" and (alone is not False or lighter_method(question)):
        return "not_needed"
    if chosen.fits is False:
        return _why_not(question, chosen)
    asked = need is not None and need.verdict == "use_fsdp"
    return "not_needed" if alone and not asked else "use_fsdp"


def replica_gib(question: Question, chosen: Selection) -> float:
    """Return what a GPU holds without sharding: a DDP replica, or all of it where there is one GPU."""
    hold = ddp_gib if question.ranks > 1 else one_gpu_gib
    return hold(question.shape, chosen.setup)


def _why_not(question: Question, chosen: Selection) -> Verdict:
    """Tell whether FSDP could do it with other settings or more ranks, or not at all."""
    if any(other.fits and not {"tp", "cp"} & set(other.settings) for other in chosen.others):
        return "does_not_fit"
    assert question.capacity_gib is not None, "it was judged"
    endless = chosen.setup.model_copy(update={"ranks": _ENDLESS, "dp_shard": _ENDLESS, "dp_replicate": 1})
    memory = estimate_memory(question.shape, endless, question.capacity_gib, KNOWN_ERROR_PCT)
    enough = fits(memory, question.capacity_gib, question.request.aim.margin_pct)
    return "does_not_fit" if enough else "needs_more_than_fsdp"


def _saving_in_time(request: Request, recipe: Recipe, scale: Scale | None) -> Recipe:
    """Return the recipe with the checkpoint interval that failures ask for, where none was stated."""
    if scale is None or scale.checkpointing is None or "checkpoint_every" in request.recipe.model_fields_set:
        return recipe
    return recipe.model_copy(update={"checkpoint_every": scale.checkpointing.interval_steps})


def _planned_tokens(request: Request, chosen: Selection) -> int | None:
    """Return the tokens of the planned steps; None where no number of steps was stated."""
    if "steps" not in request.recipe.model_fields_set:
        return None
    setup = chosen.setup
    sequences = setup.micro_batch * setup.grad_accum * setup.dp_shard * setup.dp_replicate
    return request.recipe.steps * sequences * setup.seq_len


def _plan_id(request: Request, shape: ModelShape, recipe: Recipe, ranks: int) -> str:
    inputs = {
        "request": request.model_copy(update={"language": None}).model_dump(
            mode="json"
        ),  # no plan is another in Danish
        "shape": shape.model_dump(mode="json"),
        "recipe": recipe.model_dump(mode="json"),
        "ranks": ranks,
    }
    return content_hash(inputs)[:12]
