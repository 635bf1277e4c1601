"""The prediction of a rank's peak memory."""

from contracts.memory import MemoryEstimate
from contracts.request import Language
from engines.sizing.closed_form import GIB, ClosedForm, closed_form
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
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
    language: Language = "en",
) -> MemoryEstimate:
    """Predict the peak memory of one rank.

    Args:
        shape: The model.
        setup: How it is trained.
        capacity_gib: Memory of the device in GiB; None where it is not known.
        error_pct: The error to state, plus or minus, in percent.
        limit_gib: Memory that the device can give to the allocator, which gives cached memory
            back before it fails; for runs that are known to have worked. None: without limit.
        language: In which language it tells how it came about.

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
        formula=_formula(form, found, language) if setup.pp == 1 else (),
        assumptions=_assumptions(shape, setup, language),
        unsupported=(say("adafactor_step", language),) if setup.optimizer == "adafactor" else (),
    )


def _formula(form: ClosedForm, found: Replay, language: Language) -> tuple[str, ...]:
    """Return the closed form, line by line, and how it compares with the trace."""
    sums = {"active": form.active_bytes / GIB, "traced": found.active / GIB}
    if form.pools:
        sums |= {"reserved": form.reserved_bytes / GIB, "traced_reserved": found.reserved / GIB}
    return (
        *(part.line(language) for part in (*form.active, *form.pools)),
        *(say("formula_host", language, line=part.line(language)) for part in form.host),
        say("formula_sums" if form.pools else "formula_active", language, **sums),
    )


def _assumptions(shape: ModelShape, setup: TrainingSetup, language: Language) -> tuple[str, ...]:
    """Return what the prediction rests on, each with what it is worth."""
    said = ["unknown_family"] if shape.notes else []
    if setup.device == "cpu":
        said.append("cpu_memory")
    else:
        said += ["segments_on" if setup.expandable_segments else "segments_off", "loss_kernel"]
        said += [] if setup.compile else ["norm_kernel"]
        said.append("scores_kept" if setup.materialized_attention else "flash")
        said += ["pipeline_memory"] if setup.pp > 1 else []
        said += ["float8_memory"] if setup.float8 != "none" else []
    values = {
        "family": shape.family,
        "loss": setup.loss_impl,
        "norm": setup.norm_kernel,
        "schedule": setup.pp_schedule,
        "float8": setup.float8,
        "dtype": setup.param_dtype,
    }
    return tuple(say(key, language, **values) for key in said)
