"""The estimates of a study: memory and speed of each option under each condition."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from contracts.errors import FsdpAgentError
from contracts.request import Language
from engines.sizing.alone import BYTES_PER_PARAM, ddp_bytes_per_param
from engines.sizing.closed_form import GIB
from engines.sizing.estimate import estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.throughput.crossing import crossing_gb
from engines.sizing.throughput.fitted import error_pct
from engines.sizing.throughput.predict import speed_of
from engines.sizing.whatif.optimizer_on_cpu import host_step_s
from engines.study.cells import Cell
from engines.study.labels import number
from engines.study.outline import Outline
from nodes.study_job import Job

DDP_ERROR_PCT = 15.0
"""Stated error of a DDP replica's memory: bytes per parameter and activations, without a trace."""

_TRANSIENT = ("activations", "working")
_SHOWN = frozenset({"ranks", "seq_len", "micro_batch"})


def estimated(job: Job, outline: Outline, language: Language) -> tuple[list[Cell], dict[int, str]]:
    """Return a cell for each option under each condition, condition by condition.

    Where nothing is said of activation checkpointing it is the same for all options of a
    condition: none where all of them fit without, full otherwise.

    Returns:
        The cells, and for each condition which checkpointing was taken without being asked; empty where it was said.
    """
    cells: list[Cell] = []
    assumed: dict[int, str] = {}
    spoken = "ac" in outline.topics or "ac" in job.settings
    for condition in range(len(outline.conditions)):
        row = list(_row(job, outline, condition, {}, language))
        if not spoken and any(cell.known and not cell.fits for cell in row) and job.machine:
            row = list(_row(job, outline, condition, {"ac": "full"}, language))
            assumed[condition] = "full"
        elif not spoken:
            assumed[condition] = "none"
        cells += row
    return cells, assumed


def _row(job: Job, outline: Outline, condition: int, assumed: dict[str, Any], language: Language) -> Iterator[Cell]:
    for option in range(len(outline.options)):
        changes = {**outline.conditions[condition].changes, **outline.options[option].changes}
        try:
            changed = job.changed({**assumed, **outline.fixed, **changes})
            yield estimate(changed, option, condition, language)
        except FsdpAgentError as error:
            yield Cell(option, condition, problem=error.message)


def estimate(job: Job, option: int, condition: int, language: Language) -> Cell:
    """Return what the models say of one configuration.

    Raises:
        InputError: Its settings contradict each other.
    """
    setup, machine = job.setup(), job.machine
    device = machine.device if machine else None
    memory = estimate_memory(job.shape, _alone(setup), device.usable_gib if device else None)
    parts = memory.breakdown_gib
    transient = sum(parts.get(name, 0.0) for name in _TRANSIENT)
    reserved, error = memory.reserved_gib, memory.error_pct
    if setup.fsdp == 0 and job.ranks > 1:
        reserved = (BYTES_PER_PARAM + ddp_bytes_per_param(setup)) * job.shape.params / GIB + transient
        error = DDP_ERROR_PCT
    elif job.optimizer_on_cpu:
        # without the state and the temporaries of its step: SGD has neither
        reserved = estimate_memory(job.shape, setup.model_copy(update={"optimizer": "sgd"})).reserved_gib
    cell = Cell(
        option,
        condition,
        settings=_told(job, setup),
        ranks=setup.ranks,
        states_gib=_states_gib(job, setup),
        states_arithmetic=_states_text(job, setup, language),
        reserved_gib=reserved,
        memory_error_pct=error,
        overhead_gib=memory.overhead_gib,
        capacity_gib=device.usable_gib if device else None,
        activations_gib=transient,
        not_counted=memory.unsupported,
        host_gib_per_node=_host_gib(job, setup, memory.host_gib_per_node),
    )
    return _with_speed(job, setup, cell) if machine else cell


def _alone(setup: TrainingSetup) -> TrainingSetup:
    """A DDP replica holds what one process without sharding does."""
    if setup.fsdp != 0:
        return setup
    return setup.model_copy(update={"ranks": 1, "dp_replicate": 1, "dp_shard": 1})


def _with_speed(job: Job, setup: TrainingSetup, cell: Cell) -> Cell:
    assert job.machine is not None
    predicted = setup.model_copy(update={"optimizer": "sgd"}) if job.optimizer_on_cpu else setup
    speed, fabric = speed_of(job.shape, predicted, job.machine), job.machine.fabric(setup.ranks)
    extra = sum(host_step_s(job.shape, setup)) if job.optimizer_on_cpu else 0.0
    step = speed.step_s + extra
    return replace(
        cell,
        tokens_per_s=speed.tokens_per_s_per_gpu * speed.step_s / step,
        speed_error_pct=error_pct(job.machine.device.name),
        step_s=step,
        exposed_s=speed.exposed_s + extra,
        attention_s=speed.attention_s,
        bound_by=speed.bound_by,
        crossing_gb=crossing_gb(job.shape, setup, fabric) if setup.ranks > fabric.per_node else None,
    )


def _state_bytes(job: Job, setup: TrainingSetup) -> float:
    """Bytes on the GPU for each parameter of the master weights, their gradients and the optimizer's state."""
    master = {"fp32": 4, "bf16": 2, "fp16": 2}[setup.master_dtype]
    if setup.cpu_offload:
        return 0.0
    return 2 * master + (0.0 if job.optimizer_on_cpu else setup.state_bytes_per_param)


def _shards(setup: TrainingSetup) -> int:
    return 1 if setup.fsdp == 0 else setup.shard_ranks * setup.tp * setup.pp


def _states_gib(job: Job, setup: TrainingSetup) -> float:
    if setup.lora_rank:
        return 0.0
    return _state_bytes(job, setup) * job.shape.params / _shards(setup) / GIB


def _states_text(job: Job, setup: TrainingSetup, language: Language) -> str:
    """Return the arithmetic of the sharded states; nothing for adapters, whose frozen base is no state."""
    if setup.lora_rank or setup.cpu_offload:
        return ""  # nothing of them is on the GPU
    each, params = _state_bytes(job, setup), number(job.shape.params / 1e9, language, 2)
    sum_gib = number(_states_gib(job, setup), language)
    return f"{each:g} bytes x {params}e9 / {_shards(setup)} = {sum_gib} GiB"


def _host_gib(job: Job, setup: TrainingSetup, predicted: float) -> float:
    if not job.optimizer_on_cpu:
        return predicted
    # the two moments, and a copy of weights and gradients that the step works on
    each = (8 + setup.state_bytes_per_param) * job.shape.params / _shards(setup) / GIB
    return each * min(setup.ranks, setup.ranks_per_node)


def _told(job: Job, setup: TrainingSetup) -> dict[str, Any]:
    """Return the settings that are not the defaults, for the reader who wants to repeat it."""
    defaults = {name: field.default for name, field in TrainingSetup.model_fields.items()}
    told = {
        name: value
        for name, value in setup.model_dump().items()
        if isinstance(value, str | int | float | bool) and (name in _SHOWN or value != defaults[name])
    }
    told |= {"model": job.shape.name} | ({"optimizer_on_cpu": True} if job.optimizer_on_cpu else {})
    if job.machine is not None:
        told |= {"gpu": job.machine.device.name} | ({"network": job.machine.network} if job.machine.network else {})
    return told
