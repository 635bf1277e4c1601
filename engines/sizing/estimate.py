"""The prediction of a rank's peak memory."""

from contracts.memory import MemoryEstimate
from engines.sizing.closed_form import GIB, ClosedForm, closed_form
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.trace import replay

STATED_ERROR_PCT = 15.0
"""Error where loss, wrapping, norm kernel and allocator settings are only assumed."""

OVERHEAD_GIB = 1.5
"""Allowance for the CUDA context (about 0.5 GiB) and the buffers of two or three NCCL
communicators (0.3 to 0.5 GiB each); no allocator counter shows it."""


def estimate_memory(shape: ModelShape, setup: TrainingSetup, capacity_gib: float | None = None) -> MemoryEstimate:
    """Predict the peak memory of one rank.

    Args:
        shape: The model.
        setup: How it is trained.
        capacity_gib: Memory of the device in GiB; None where it is not known.

    Returns:
        The estimate; on device cpu it is host memory and `reserved_gib` equals `active_gib`.
    """
    form = closed_form(shape, setup)
    found = replay(shape, setup)
    on_gpu = setup.device == "cuda"
    overhead = OVERHEAD_GIB if on_gpu else 0.0
    active = found.active / GIB
    reserved, first = (found.reserved / GIB, found.first_step / GIB) if on_gpu else (active, active)
    margin = None if capacity_gib is None else capacity_gib - reserved - overhead
    breakdown = dict(found.peak.parts)
    if on_gpu:
        breakdown["all_gather_pool"] = found.pools["all_gather"]
        breakdown["reduce_scatter_pool"] = found.pools["reduce_scatter"] - breakdown.get("gradients", 0)
        breakdown["allocator_holes"] = found.reserved - sum(breakdown.values())
    return MemoryEstimate(
        active_gib=round(active, 3),
        reserved_gib=round(reserved, 3),
        step1_reserved_gib=round(first, 3),
        capacity_gib=capacity_gib,
        overhead_gib=overhead,
        margin_gib=None if margin is None else round(margin, 3),
        error_pct=STATED_ERROR_PCT,
        peak_phase=found.peak.phase,
        breakdown_gib={name: round(size / GIB, 3) for name, size in breakdown.items() if size},
        formula=_formula(form),
        assumptions=_assumptions(shape, setup),
        unsupported=_unsupported(setup),
    )


def _formula(form: ClosedForm) -> tuple[str, ...]:
    lines = [part.line for part in (*form.active, *form.pools)]
    return (*lines, *(f"in host memory: {part.line}" for part in form.host))


def _assumptions(shape: ModelShape, setup: TrainingSetup) -> tuple[str, ...]:
    said = list(shape.notes)
    if setup.device == "cpu":
        said.append("device cpu: host memory of one rank, without the interpreter (about 0.5 GiB) and the data")
        return tuple(said)
    segments = "on" if setup.expandable_segments else "off"
    said.append(f"expandable_segments {segments} (worth up to 10 %)")
    said.append(f"loss implementation {setup.loss_impl} (worth up to 25 %)")
    if not setup.compile:
        said.append(f"RMSNorm kernel {setup.norm_kernel} (worth up to 15 % without activation checkpointing)")
    if not setup.materialized_attention:
        said.append("attention through a flash or memory-efficient kernel (no scores of seq_len x seq_len)")
    return tuple(said)


def _unsupported(setup: TrainingSetup) -> tuple[str, ...]:
    reasons = []
    if setup.float8 != "none":
        reasons.append("float8: predicted as bf16")
    if setup.pp > 1:
        reasons.append("pipeline parallelism: in-flight micro-batches are not counted")
    return tuple(reasons)
