"""Reading a recorded run: from its words to a shape and a setup.

A row says what a log or a table said ("AdamW foreach (fp32 states)", "layer-2"). What it
leaves out is taken from the framework's defaults at the row's date, and named.
"""

import re
from dataclasses import dataclass

from contracts.errors import CannotBeKnown, RequestInvalid
from engines.sizing import row_words
from engines.sizing.frameworks import ROOT_RESHARD_HONOURED, Run, defaults_of
from engines.sizing.row_fields import Json, normalised, section, truth
from engines.sizing.row_shape import shape_of_row
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from knowledge.devices import find_device

CONTEXT_GIB = 0.5
"""Least that a CUDA context takes of a device."""

_OTHER_SYSTEMS = {
    r"simple.?fsdp": "SimpleFSDP: the compiler schedules the collectives and frees; not FSDP2's pools",
    r"graph.?trainer": "graph trainer: the compiler chooses what to keep and to recompute",
    r"deepspeed|zero-?3|megatron|colossal": "not FSDP: buckets, partitions and buffers of another system",
}
"""Systems whose memory this model does not describe, with the reason."""

_UNCERTAIN = re.compile(
    r"\b(?:count|ac|batch|seq\w*|settings?) (?:not (?:stated|printed|given|known|logged)|unknown)", re.IGNORECASE
)
"""A record's own remark that an input of it is a guess."""

_GROWING = re.compile(r"\bleak(?:s|ed|ing)?\b(?! (?:is |was )?(?:fixed|gone))|not a steady state", re.IGNORECASE)
_NOT_GROWING = re.compile(r"\b(?:no|without(?: a| the)?|fixed(?: the)?) leak", re.IGNORECASE)

_OPTIMIZERS = re.compile(r"adam|sgd|adafactor|muon|lion|momentum", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What a row says."""

    id: object
    """Its name."""
    shape: ModelShape | None
    """The model; None where its sizes are not given."""
    setup: TrainingSetup | None
    """The settings; None where the run cannot be expressed."""
    assumptions: tuple[str, ...] = ()
    """What was assumed."""
    limit_gib: float | None = None
    """Memory that the device could give to the allocator, in GiB; None where it is not known."""
    unsupported: tuple[str, ...] = ()
    """Why there is no prediction, or what it leaves out."""
    open_setting: str = ""
    """A setting that the record leaves open and whose default may be wrong; empty: none."""


def read_row(row: object) -> Reading:
    """Return the shape and the setup of a recorded run.

    Raises:
        RequestInvalid: The row is no object, or its sizes contradict each other.
    """
    if not isinstance(row, dict):
        raise RequestInvalid(f"a row is a JSON object, not a {type(row).__name__}")
    row = normalised(row)
    name = row.get("id")
    try:
        shape, assumptions = shape_of_row(row)
    except CannotBeKnown as problem:
        return Reading(name, None, None, unsupported=(problem.message, *_missing(row)))
    if reasons := (*_missing(row), *_inexpressible(row)):
        return Reading(name, shape, None, unsupported=reasons)
    settings, said = _settings(row)
    setup = make_setup(**settings)
    open_setting = "act_offload" if _may_offload(row, setup) else ""
    return Reading(name, shape, setup, (*assumptions, *said), _limit_gib(row), open_setting=open_setting)


def _missing(row: Json) -> tuple[str, ...]:
    missing = [field for field in ("gpus", "local_batch", "seq_len") if row.get(field) is None]
    return (f"not given: {', '.join(missing)}",) if missing else ()


def _inexpressible(row: Json) -> tuple[str, ...]:
    """Return why a run is not one that the model can describe; empty where it is."""
    framework = str(row.get("framework") or "").lower()
    remark = f"{row.get('note') or ''} {row.get('confidence') or ''}".strip()
    for words, reason in _OTHER_SYSTEMS.items():
        if re.search(words, framework):
            return (reason,)
    if _GROWING.search(remark) and not _NOT_GROWING.search(remark):
        return (f"not a steady state: {remark}",)
    if _UNCERTAIN.search(remark):
        return (f"the record's own inputs are uncertain: {remark}",)
    optimizer = str(row.get("optimizer") or "")
    if optimizer and not _OPTIMIZERS.search(optimizer) and truth(optimizer):
        return (f"the state of optimizer {optimizer!r} is not known",)
    return ()


def _may_offload(row: Json, setup: TrainingSetup) -> bool:
    """Tell whether the run may have sent checkpointed activations to the host without saying so.

    torchtune's recipes can since September 2024 (7045e965d), with `enable_activation_offloading`.
    """
    can = "torchtune" in str(row.get("framework") or "").lower() and str(row.get("date") or "") >= "2024-09-16"
    return can and row.get("act_offload") is None and setup.ac == "full" and not setup.act_offload


def _limit_gib(row: Json) -> float | None:
    """Return what the row's device can give to the allocator: its memory without the CUDA context."""
    named = re.sub(r"\(.*?\)", "", str(row.get("gpu_type") or ""))
    device = find_device(named) if named else None
    return device.usable_gib - CONTEXT_GIB if device else None


def _settings(row: Json) -> tuple[Json, tuple[str, ...]]:
    """Return the settings: the framework's defaults, then the row's words, then its `settings`."""
    degrees, known = row_words.mesh(row), section(row, "settings")
    date, compiled = str(row.get("date") or ""), truth(row.get("compile"))
    stages = degrees["pp"] if isinstance(degrees.get("pp"), int) else 1  # what it is else, make_setup refuses
    run = Run(str(row.get("framework") or ""), date, compiled, str(row.get("gpu_type") or ""), stages)
    defaults, assumptions = defaults_of(run)
    words = {
        "ranks": row["gpus"],
        "micro_batch": row["local_batch"],
        "seq_len": row["seq_len"],
        "compile": compiled,
        "cpu_offload": truth(row.get("cpu_offload")),
        "act_offload": truth(row.get("act_offload")),
    }
    words |= degrees | row_words.micro_batches(row["local_batch"], degrees, row.get("pp_schedule"))
    words |= row_words.precision(row) | row_words.optimizer(row) | row_words.checkpointing(row)
    words |= row_words.adapters(row) | row_words.float8(row)
    loss = row_words.loss(row.get("loss"))
    if defaults.get("loss_impl") == "chunked_head" and loss.get("loss_impl") == "chunked":
        loss["loss_impl"] = "chunked_head"  # what the framework means by it
    words |= loss
    if isinstance(row.get("grad_accum"), int) and "grad_accum" not in words:
        words["grad_accum"] = row["grad_accum"]
    if stages == 1:
        words |= row_words.reshard(row)
    with_wrap = bool(known.get("provenance")) or "wrap" not in defaults
    stated = row_words.known(known, with_wrap=with_wrap)
    said = _wrapping(row, stated)
    settings = _consistent(row, defaults | words | stated)
    lines = tuple(line for name, line in assumptions.items() if name not in words and name not in stated)
    return settings, (*lines, *said)


def _wrapping(row: Json, stated: Json) -> tuple[str, ...]:
    """Take a wrapping that is not the framework's own, and say how it was understood."""
    words = str(row.get("wrap") or "").lower()
    if not words.startswith("finer"):
        return ()
    stated |= row_words.wrapping(words)
    return (f"wrapping {row['wrap']!r} read as embedding, blocks and [norm, head] apart (worth up to 2 %)",)


def _consistent(row: Json, settings: Json) -> Json:
    """Return settings without what contradicts the row's date, ranks or strategy."""
    if str(row.get("date") or "") < ROOT_RESHARD_HONOURED:
        settings["root_reshard"] = False
    strategy = str(row.get("strategy") or "").lower()
    if row["gpus"] == 1 or strategy in ("no_shard", "ddp"):
        settings["fsdp"] = 0
        if row["gpus"] != 1 and isinstance(row["gpus"], int) and "dp_replicate" not in settings:
            settings |= {"dp_replicate": row["gpus"], "dp_shard": 1}
    return settings
