"""Checkpoints of one job: their size, their time, their interval, and what failures cost beside them."""

from dataclasses import dataclass

from contracts.reliability import LLAMA3_GPU_HOURS_PER_FAILURE, LLAMA3_STORAGE_GB_PER_S, Reliability
from contracts.request import Language
from contracts.scale import Checkpointing
from engines.sizing.scale.interval import daly_s, useful_share, young_s
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
from engines.sizing.throughput.work import adapter_params

_LLAMA3 = "Llama 3, arXiv 2407.21783"
_SECONDS_PER_HOUR = 3600
_GB = 1e9


@dataclass(frozen=True)
class Saving:
    """What the formulas take and give, in seconds."""

    size_bytes: float
    """One checkpoint, all ranks together."""
    save_s: float
    """The training waits for so long."""
    mtbf_s: float
    """Mean time between failures of the job."""
    restart_s: float
    """From a failure to the next step: the restart, and reading the checkpoint back."""
    interval_s: float
    """Daly's."""

    @property
    def useful(self) -> float:
        """Share of the wall time that makes progress."""
        return useful_share(self.interval_s, self.save_s, self.mtbf_s, self.restart_s)


def bytes_per_param(setup: TrainingSetup) -> float:
    """Return what a checkpoint holds of one trained parameter: the master weight and the optimizer's state."""
    return DTYPE_BYTES[setup.master_dtype] + setup.state_bytes_per_param


def saving_of(shape: ModelShape, setup: TrainingSetup, nodes: int, reliability: Reliability) -> Saving:
    """Return what saving and failing cost a job.

    DCP writes each shard once, whatever the mesh: replicas share the work. A machine writes as
    much as any other.

    Args:
        shape: The model.
        setup: How it is trained.
        nodes: Machines that write side by side.
        reliability: Failures, storage and restart.
    """
    size = bytes_per_param(setup) * saved_params(shape, setup)
    save_s = size / (nodes * reliability.storage_gb_per_s * _GB)
    mtbf_s = reliability.gpu_hours_per_failure / setup.ranks * _SECONDS_PER_HOUR
    restart_s = reliability.restart_minutes * 60 + save_s
    return Saving(size, save_s, mtbf_s, restart_s, daly_s(save_s, mtbf_s))


def saved_params(shape: ModelShape, setup: TrainingSetup) -> float:
    """Return the parameters of a checkpoint: all, or the adapters where the rest is frozen."""
    return adapter_params(shape, setup) if setup.lora_rank else float(shape.params)


def checkpointing_of(
    shape: ModelShape,
    setup: TrainingSetup,
    nodes: int,
    reliability: Reliability,
    step_s: float,
    language: Language = "en",
) -> Checkpointing:
    """Return size, time and interval of a job's checkpoints, with their arithmetic.

    Args:
        shape: The model.
        setup: How it is trained.
        nodes: Machines.
        reliability: Failures, storage and restart.
        step_s: Seconds of an optimizer step.
        language: Language of the arithmetic.
    """
    found = saving_of(shape, setup, nodes, reliability)
    useful = found.useful
    saving = useful * found.save_s / found.interval_s
    return Checkpointing(
        size_gb=round(found.size_bytes / _GB, 3),
        write_s=round(found.save_s, 3),
        hours_between_failures=round(found.mtbf_s / _SECONDS_PER_HOUR, 3),
        interval_s=round(found.interval_s, 1),
        interval_steps=max(1, round(found.interval_s / step_s)),
        young_s=round(young_s(found.save_s, found.mtbf_s), 1),
        useful_pct=round(100 * useful, 2),
        saving_pct=round(100 * saving, 2),
        lost_pct=round(100 * (1 - useful - saving), 2),
        arithmetic=_arithmetic(shape, setup, nodes, reliability, found, language),
        sources=tuple(say(name, language, source=_LLAMA3) for name in ("save_young", "save_daly", "save_llama3")),
        assumptions=_assumptions(reliability, language),
    )


def _arithmetic(
    shape: ModelShape, setup: TrainingSetup, nodes: int, reliability: Reliability, found: Saving, language: Language
) -> tuple[str, ...]:
    values = {
        "each": bytes_per_param(setup),
        "params": saved_params(shape, setup),
        "gb": found.size_bytes / _GB,
        "nodes": nodes,
        "rate": reliability.storage_gb_per_s,
        "save": found.save_s,
        "gpu_hours": reliability.gpu_hours_per_failure,
        "gpus": setup.ranks,
        "hours": found.mtbf_s / _SECONDS_PER_HOUR,
        "mtbf": found.mtbf_s,
        "young": young_s(found.save_s, found.mtbf_s),
        "daly": found.interval_s,
        "restart": found.restart_s,
        "slowdown": 1 / found.useful,
    }
    lines = ("save_size", "save_time", "save_failures", "save_interval", "save_wall_time")
    return tuple(say(name, language, **values) for name in lines)


def _assumptions(reliability: Reliability, language: Language) -> tuple[str, ...]:
    defaults = {
        "gpu_hours_per_failure": "save_assumed_failures",
        "storage_gb_per_s": "save_assumed_storage",
        "restart_minutes": "save_assumed_restart",
    }
    said = [name for field, name in defaults.items() if field not in reliability.model_fields_set]
    values = {
        "hours": LLAMA3_GPU_HOURS_PER_FAILURE,
        "rate": LLAMA3_STORAGE_GB_PER_S,
        "minutes": reliability.restart_minutes,
    }
    return tuple(say(name, language, source=_LLAMA3, **values) for name in (*said, "save_waits"))
