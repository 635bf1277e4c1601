"""Reading a recorded run: from its words to a shape and a setup.

A row says what a log or a table said ("AdamW foreach (fp32 states)", "layer-2"). What it
leaves out is taken from the framework's defaults at the row's date, and named.
"""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from contracts.errors import RequestInvalid
from engines.sizing import row_words
from engines.sizing.frameworks import ROOT_RESHARD_HONOURED, Run, defaults_of
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from knowledge.devices import find_device

Json = dict[str, Any]

_SIZES = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "tied")
"""Fields of a row that are fields of a ModelShape."""

_MESH = ("dp_shard", "dp_replicate", "tp", "pp", "cp")
"""Dimensions of a row's mesh."""

CONTEXT_GIB = 0.5
"""Least that a CUDA context takes of a device."""

_OTHER_SYSTEMS = {
    "simplefsdp": "SimpleFSDP: the compiler schedules the collectives and frees; not FSDP2's pools",
    "graph_trainer": "graph trainer: the compiler chooses what to keep and to recompute",
}
"""Frameworks whose memory this model does not describe, with the reason."""

_UNCERTAIN = re.compile(
    r"\b(?:count|ac|batch|seq\w*|settings?) (?:not (?:stated|printed|given)|unknown)", re.IGNORECASE
)
"""A record's own remark that an input of it is a guess."""

_FAMILIES: dict[str, Json] = {"qwen3": {"qk_norm": True}, "qwen2": {"qkv_bias": True}}
"""What a family adds to the sizes of a row; others are read as Llama-type."""


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


def read_row(row: object) -> Reading:
    """Return the shape and the setup of a recorded run.

    Raises:
        RequestInvalid: The row is no object, or its sizes contradict each other.
    """
    if not isinstance(row, dict):
        raise RequestInvalid(f"a row is a JSON object, not a {type(row).__name__}")
    name = row.get("id")
    reasons = _missing(row) or _inexpressible(row)
    if reasons:
        return Reading(name, None, None, unsupported=reasons)
    shape = _shape(row)
    settings, assumptions = _settings(row)
    return Reading(name, shape, make_setup(**settings), assumptions, _limit_gib(row))


def _limit_gib(row: Json) -> float | None:
    """Return what the row's device can give to the allocator: its memory without the CUDA context."""
    named = re.sub(r"\(.*?\)", "", str(row.get("gpu_type") or ""))
    device = find_device(named) if named else None
    return device.usable_gib - CONTEXT_GIB if device else None


def _missing(row: Json) -> tuple[str, ...]:
    needed = ("layers", "hidden", "heads", "ffn", "vocab", "gpus", "local_batch", "seq_len")
    missing = [field for field in needed if row.get(field) is None]
    return (f"not given: {', '.join(missing)}",) if missing else ()


def _inexpressible(row: Json) -> tuple[str, ...]:
    """Return why a run is not one that the model can describe; empty where it is."""
    framework, peft = (str(row.get(field) or "").lower() for field in ("framework", "peft"))
    remark = f"{row.get('note') or ''} {row.get('confidence') or ''}".strip()
    for word, reason in _OTHER_SYSTEMS.items():
        if word in framework:
            return (reason,)
    if "leak" in remark:
        return (f"not a steady state: {remark}",)
    if _UNCERTAIN.search(remark):
        return (f"the record's own inputs are uncertain: {remark}",)
    if "finer" in str(row.get("wrap") or ""):
        return (f"wrapping {row['wrap']!r} is not described",)
    if "autocast" in str(row_words.section(row, "precision").get("param")):
        return ("torch.autocast over fp32 parameters is not expressed",)
    if "fsdp1" in framework and "lora" in peft and "qlora" not in framework:
        return ("flat parameters of FSDP1 that mix frozen and trained weights are not expressed",)
    if "torchtune" in framework and str(row.get("date")) >= "2024-11" and row.get("ac") == "full":
        return ("torchtune from 0.4 may offload checkpointed activations to the host; the record does not say",)
    return ()


def _shape(row: Json) -> ModelShape:
    fields = {name: row[name] for name in _SIZES if row.get(name) is not None}
    heads, hidden = row["heads"], row["hidden"]
    fields.setdefault("kv_heads", heads)
    if "head_dim" not in fields:
        if not isinstance(heads, int) or not isinstance(hidden, int) or heads < 1 or hidden % heads:
            raise RequestInvalid(f"row {row.get('id')}: {heads} heads do not divide the hidden size {hidden}")
        fields["head_dim"] = hidden // heads
    letters = re.sub(r"[^a-z0-9]", "", str(row.get("model") or "").lower())
    family = next((known for known in _FAMILIES if known in letters), "llama")
    try:
        shape = ModelShape(name=str(row.get("model") or "model"), family=family, **fields, **_FAMILIES.get(family, {}))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RequestInvalid(f"row {row.get('id')}: {place} {first['msg'].removeprefix('Value error, ')}") from None
    stated = row.get("params")
    if isinstance(stated, int) and abs(shape.params - stated) > 0.001 * stated:
        raise RequestInvalid(f"row {row.get('id')}: its sizes give {shape.params} parameters, but it states {stated}")
    return shape


def _settings(row: Json) -> tuple[Json, tuple[str, ...]]:
    """Return the settings: the framework's defaults, then the row's words, then its `settings`."""
    mesh, known = row_words.section(row, "mesh"), row_words.section(row, "settings")
    degrees = {name: mesh[name] for name in _MESH if mesh.get(name)}
    stages = degrees["pp"] if isinstance(degrees.get("pp"), int) else 1  # what it is else, make_setup refuses
    date, compiled = str(row.get("date") or ""), bool(row.get("compile"))
    run = Run(str(row.get("framework") or ""), date, compiled, str(row.get("gpu_type") or ""), stages)
    defaults, assumptions = defaults_of(run)
    words = {
        "ranks": row["gpus"],
        "micro_batch": row["local_batch"],
        "seq_len": row["seq_len"],
        "compile": compiled,
        "cpu_offload": bool(row.get("cpu_offload")),
    }
    words |= degrees | row_words.micro_batches(row["local_batch"], stages)
    words |= row_words.precision(row) | row_words.optimizer(row) | row_words.checkpointing(row)
    words |= row_words.adapters(row) | row_words.float8(row) | row_words.loss(row.get("loss"))
    if stages == 1:
        words |= row_words.reshard(row)
    stated = row_words.known(known, with_wrap=bool(known.get("provenance")) or "wrap" not in defaults)
    settings = defaults | words | stated
    if date < ROOT_RESHARD_HONOURED:
        settings["root_reshard"] = False
    if row["gpus"] == 1:
        settings["fsdp"] = 0
    said = tuple(line for name, line in assumptions.items() if name not in words and name not in stated)
    return settings, said
