"""Checkpoints of one job: their size, their time, their interval, and what failures cost beside them."""

from dataclasses import dataclass

from contracts.reliability import LLAMA3_GPU_HOURS_PER_FAILURE, LLAMA3_STORAGE_GB_PER_S, Reliability
from contracts.scale import Checkpointing
from engines.sizing.scale.interval import SOURCES, daly_s, useful_share, young_s
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
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
    shape: ModelShape, setup: TrainingSetup, nodes: int, reliability: Reliability, step_s: float
) -> Checkpointing:
    """Return size, time and interval of a job's checkpoints, with their arithmetic.

    Args:
        shape: The model.
        setup: How it is trained.
        nodes: Machines.
        reliability: Failures, storage and restart.
        step_s: Seconds of an optimizer step.
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
        arithmetic=_arithmetic(shape, setup, nodes, reliability, found),
        sources=(*SOURCES, f"{_LLAMA3}, section 3.3.4: failures; section 3.3.1: storage"),
        assumptions=_assumptions(reliability),
    )


def _arithmetic(
    shape: ModelShape, setup: TrainingSetup, nodes: int, reliability: Reliability, found: Saving
) -> tuple[str, ...]:
    params = saved_params(shape, setup)
    hours = found.mtbf_s / _SECONDS_PER_HOUR
    return (
        f"size: {bytes_per_param(setup):g} bytes x {params:,.0f} parameters = {found.size_bytes / _GB:,.1f} GB",
        f"time: {found.size_bytes / _GB:,.1f} GB / ({nodes} machines x {reliability.storage_gb_per_s:g} GB/s) = "
        f"{found.save_s:,.1f} s",
        f"failures: {reliability.gpu_hours_per_failure:,.0f} GPU hours / {setup.ranks:,} GPUs = one in {hours:,.1f} "
        "hours",
        f"interval: sqrt(2 x {found.save_s:,.1f} s x {found.mtbf_s:,.0f} s) = "
        f"{young_s(found.save_s, found.mtbf_s):,.0f} s (Young); {found.interval_s:,.0f} s (Daly)",
        f"wall time: M/t e^(R/M) (e^((t + d)/M) - 1) with M = {found.mtbf_s:,.0f}, t = {found.interval_s:,.0f}, "
        f"d = {found.save_s:,.1f}, R = {found.restart_s:,.0f} s: {1 / found.useful:.4f} times the training's own",
    )


def _assumptions(reliability: Reliability) -> tuple[str, ...]:
    said = []
    stated = reliability.model_fields_set
    if "gpu_hours_per_failure" not in stated:
        hours = LLAMA3_GPU_HOURS_PER_FAILURE
        said.append(
            f"a failure every {hours:,.0f} GPU hours: 419 in 54 days on 16,384 GPUs ({_LLAMA3}); yours: "
            "--gpu-hours-per-failure"
        )
    if "storage_gb_per_s" not in stated:
        said.append(
            f"a machine writes {LLAMA3_STORAGE_GB_PER_S:g} GB/s while all do: 2 TB/s for 2,048 machines ({_LLAMA3}); "
            "yours: --storage"
        )
    if "restart_minutes" not in stated:
        said.append(f"{reliability.restart_minutes:g} minutes from a failure to a new start; yours: --restart-minutes")
    said.append("the training waits for the whole write; async_checkpoints waits for a copy in host memory only")
    return tuple(said)
