"""The prediction of a rank's peak memory."""

from contracts.memory import MemoryEstimate
from engines.sizing.closed_form import GIB, ClosedForm, closed_form
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.trace import Replay, replay

KNOWN_ERROR_PCT = 8.0
"""Stated error of the model: on published runs whose settings were read in their code the largest
error is 5 %, the mean below 1 %. Settings that are only assumed come on top (`assumed.py`)."""

_DECIMALS = 6
"""A millionth of a GiB is about a kibibyte: a tiny model's parts still show."""

OVERHEAD_GIB = 1.5
"""Allowance for the CUDA context (about 0.5 GiB) and the buffers of two or three NCCL
communicators (0.3 to 0.5 GiB each); no allocator counter shows it."""


def estimate_memory(
    shape: ModelShape,
    setup: TrainingSetup,
    capacity_gib: float | None = None,
    error_pct: float = KNOWN_ERROR_PCT,
    limit_gib: float | None = None,
) -> MemoryEstimate:
    """Predict the peak memory of one rank.

    Args:
        shape: The model.
        setup: How it is trained.
        capacity_gib: Memory of the device in GiB; None where it is not known.
        error_pct: The error to state, plus or minus, in percent.
        limit_gib: Memory that the device can give to the allocator, which gives cached memory
            back before it fails; for runs that are known to have worked. None: without limit.

    Returns:
        The estimate; on device cpu it is host memory and `reserved_gib` equals `active_gib`.
    """
    form = closed_form(shape, setup)
    found = replay(shape, setup, limit=None if limit_gib is None else int(limit_gib * GIB))
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
        active_gib=round(active, _DECIMALS),
        reserved_gib=round(reserved, _DECIMALS),
        step1_reserved_gib=round(first, _DECIMALS),
        capacity_gib=capacity_gib,
        overhead_gib=overhead,
        margin_gib=None if margin is None else round(margin, _DECIMALS),
        error_pct=error_pct,
        host_gib=round(found.host / GIB, _DECIMALS),
        host_gib_per_node=round(found.host * min(setup.ranks, setup.ranks_per_node) / GIB, _DECIMALS),
        peak_phase=found.peak.phase,
        breakdown_gib={name: round(size / GIB, _DECIMALS) for name, size in breakdown.items() if size},
        formula=_formula(form, found) if setup.pp == 1 else (),
        assumptions=_assumptions(shape, setup),
        unsupported=_unsupported(setup),
    )


def _formula(form: ClosedForm, found: Replay) -> tuple[str, ...]:
    """Return the closed form, line by line, and how it compares with the trace."""
    lines = [part.line for part in (*form.active, *form.pools)]
    sums = f"sum of these: {form.active_bytes / GIB:.2f} GiB active"
    traced = f"the allocation trace, which is the prediction, gives {found.active / GIB:.2f}"
    if form.pools:
        sums += f", {form.reserved_bytes / GIB:.2f} GiB reserved"
        traced += f" and {found.reserved / GIB:.2f}"
    sums = f"{sums}; {traced}"
    return (*lines, *(f"in host memory: {part.line}" for part in form.host), sums)


def _assumptions(shape: ModelShape, setup: TrainingSetup) -> tuple[str, ...]:
    """Return what the prediction rests on, each with what it is worth."""
    said = list(shape.notes)
    if setup.device == "cpu":
        said.append("device cpu: host memory of one rank, without the interpreter (about 0.5 GiB) and the data")
        return tuple(said)
    segments = "on" if setup.expandable_segments else "off"
    said.append(f"expandable_segments {segments} (worth up to 10 %)")
    said.append(f"loss_impl {setup.loss_impl} (worth up to 25 %)")
    if not setup.compile:
        said.append(f"norm_kernel {setup.norm_kernel} of RMSNorm (worth up to 15 % without activation checkpointing)")
    if setup.materialized_attention:
        said.append("attention scores are materialised (seq_len x seq_len for each head)")
    else:
        said.append("attention through a flash or memory-efficient kernel (no scores of seq_len x seq_len)")
    if setup.pp > 1:
        said.append(
            f"pipeline schedule {setup.pp_schedule}; the fuller of the first and the last rank (worth up to 10 %)"
        )
    if setup.float8 != "none":
        said.append(f"float8 {setup.float8}: what is kept for the backward is counted in {setup.param_dtype}, which")
        said[-1] += " is what torchao keeps unless it is told to recompute (worth up to 3 %)"
    return tuple(said)


def _unsupported(setup: TrainingSetup) -> tuple[str, ...]:
    reasons = []
    if setup.optimizer == "adafactor":
        reasons.append("adafactor: temporaries of its step are not counted")
    return tuple(reasons)
