"""Reading a recorded run: from its words to a shape and a setup.

A row says what a log or a table said ("AdamW foreach (fp32 states)", "layer-2"). What it
leaves out is taken from the framework's defaults at the row's date, and named.
"""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from contracts.errors import RequestInvalid
from engines.sizing.frameworks import ROOT_RESHARD_HONOURED, Run, defaults_of
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape

Json = dict[str, Any]

_SIZES = {
    "layers": "layers",
    "hidden": "hidden",
    "heads": "heads",
    "kv_heads": "kv_heads",
    "head_dim": "head_dim",
    "ffn": "ffn",
    "vocab": "vocab",
    "tied": "tied",
}
"""Fields of a row that are fields of a ModelShape."""


@dataclass(frozen=True)
class Reading:
    """What a row says."""

    id: str | None
    """Its name."""
    shape: ModelShape | None
    """The model; None where its sizes are not given."""
    setup: TrainingSetup | None
    """The settings; None where the run cannot be expressed."""
    assumptions: tuple[str, ...] = ()
    """What was assumed."""
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
    missing = _missing(row)
    if missing:
        return Reading(name, None, None, unsupported=(f"not given: {', '.join(missing)}",))
    reasons = _inexpressible(row)
    if reasons:
        return Reading(name, None, None, unsupported=reasons)
    shape = _shape(row)
    settings, assumptions = _settings(row, shape)
    return Reading(name, shape, make_setup(**settings), tuple(assumptions))


def _missing(row: Json) -> list[str]:
    missing = [field for field in ("layers", "hidden", "heads", "ffn", "vocab") if row.get(field) is None]
    return missing + [field for field in ("gpus", "local_batch", "seq_len") if row.get(field) is None]


def _inexpressible(row: Json) -> tuple[str, ...]:
    framework = str(row.get("framework") or "").lower()
    remark = f"{row.get('note') or ''} {row.get('confidence') or ''}"
    if "leak" in remark:
        return (f"not a steady state: {remark.strip()}",)
    if re.search(
        r"\b(?:count|ac|batch|seq\w*|settings?) (?:not (?:stated|printed|given)|unknown)", remark, re.IGNORECASE
    ):
        return (f"the record's own inputs are uncertain: {remark.strip()}",)
    if "autocast" in str((row.get("precision") or {}).get("param")):
        return ("torch.autocast over fp32 parameters is not expressed",)
    if "fsdp1" in framework and "lora" in str(row.get("peft") or "").lower() and "qlora" not in framework:
        return ("flat parameters of FSDP1 that mix frozen and trained weights are not expressed",)
    if "torchtune" in framework and str(row.get("date")) >= "2024-11" and row.get("ac") == "full":
        return ("torchtune from 0.4 may offload checkpointed activations to the host; the record does not say",)
    if "finer" in str(row.get("wrap") or ""):
        return (f"wrapping {row['wrap']!r} is not described",)
    for word, reason in _OTHER_SYSTEMS.items():
        if word in framework:
            return (reason,)
    return ()


_OTHER_SYSTEMS = {
    "simplefsdp": "SimpleFSDP: the compiler schedules the collectives and frees; not FSDP2's pools",
    "graph_trainer": "graph trainer: the compiler chooses what to keep and to recompute",
}


def _shape(row: Json) -> ModelShape:
    fields = {ours: row[theirs] for theirs, ours in _SIZES.items() if row.get(theirs) is not None}
    fields.setdefault("kv_heads", row["heads"])
    if "head_dim" not in fields:
        if not isinstance(row["heads"], int) or row["heads"] < 1 or row["hidden"] % row["heads"]:
            raise RequestInvalid(f"{row['heads']} heads do not divide the hidden size {row['hidden']}")
        fields["head_dim"] = row["hidden"] // row["heads"]
    family = next((known for known in ("qwen3", "qwen2") if known in _letters(row.get("model"))), "llama")
    quirks = {"qwen3": {"qk_norm": True}, "qwen2": {"qkv_bias": True}}.get(family, {})
    try:
        shape = ModelShape(name=str(row.get("model") or "model"), family=family, **(fields | quirks))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RequestInvalid(f"row {row.get('id')}: {place} {first['msg']}") from None
    stated = row.get("params")
    if isinstance(stated, int) and abs(shape.params - stated) > 0.001 * stated:
        raise RequestInvalid(f"row {row.get('id')}: its sizes give {shape.params} parameters, but it states {stated}")
    return shape


def _letters(text: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(text or "").lower())


def _settings(row: Json, shape: ModelShape) -> tuple[Json, list[str]]:
    del shape
    mesh = row.get("mesh") if isinstance(row.get("mesh"), dict) else {}
    assert isinstance(mesh, dict)
    framework, date = str(row.get("framework") or ""), str(row.get("date") or "")
    compiled = bool(row.get("compile"))
    run = Run(framework, date, compiled, str(row.get("gpu_type") or ""), mesh.get("pp") or 1)
    settings, assumptions = defaults_of(run)
    settings |= {
        "ranks": row["gpus"],
        "micro_batch": row["local_batch"],
        "seq_len": row["seq_len"],
        "compile": compiled,
        "cpu_offload": bool(row.get("cpu_offload")),
    }
    settings |= {name: mesh[name] for name in ("dp_shard", "dp_replicate", "tp", "pp", "cp") if mesh.get(name)}
    settings |= _micro_batches(row["local_batch"], mesh.get("pp") or 1)
    for part in (_precision(row), _optimizer(row), _checkpointing(row), _adapters(row), _float8(row)):
        settings |= part
    settings = settings | _loss(row.get("loss")) | ({} if mesh.get("pp", 1) > 1 else _reshard(row))
    known = row.get("settings") if isinstance(row.get("settings"), dict) else {}
    assert isinstance(known, dict)
    settings |= _known(known, stated="wrap" not in settings)
    if date < ROOT_RESHARD_HONOURED:
        settings["root_reshard"] = False
    if settings.get("dp_shard", 1) == 1 and row["gpus"] == 1:
        settings["fsdp"] = 0
    return settings, [] if known.get("loss_impl") else assumptions


def _micro_batches(local_batch: object, pp: int) -> Json:
    """Split a local batch over a pipeline: one micro-batch for each stage (torchtitan's default)."""
    if pp > 1 and isinstance(local_batch, int) and local_batch % pp == 0:
        return {"micro_batch": local_batch // pp, "grad_accum": pp}
    return {}


def _precision(row: Json) -> Json:
    words = row.get("precision") if isinstance(row.get("precision"), dict) else {}
    assert isinstance(words, dict)
    param, reduce = str(words.get("param", "bf16")), str(words.get("reduce", "fp32"))
    master = str(words.get("master", "fp32"))
    dtypes = {
        "param_dtype": "fp32" if param == "fp32" else "bf16",
        "reduce_dtype": "bf16" if "bf16" in reduce or (reduce == "-" and "bf16" in master) else "fp32",
        "master_dtype": "bf16" if "bf16" in master else "fp32",
    }
    return dtypes | {"autocast": "autocast" in param}


def _optimizer(row: Json) -> Json:
    words = str(row.get("optimizer") or "").lower()
    kind = "adamw"
    if "8bit" in words or "8-bit" in words:
        kind = "adamw_8bit"
    elif "adafactor" in words:
        kind = "adafactor"
    elif "muon" in words:
        kind = "muon"
    elif "sgd" in words:
        kind = "sgd"
    return {
        "optimizer": kind,
        "optimizer_paged": "paged" in words,
        "optimizer_impl": "fused" if "fused" in words else "foreach",
        "optimizer_in_backward": "in_bwd" in words or "in_backward" in words,
    }


def _checkpointing(row: Json) -> Json:
    words = str(row.get("ac") or "none").lower().rstrip("?")
    every = re.fullmatch(r"(?:selective-)?layer-(\d+)", words)
    if every:
        return {"ac": "every_k", "ac_every": int(every.group(1))}
    if words == "selective-layer":
        return {"ac": "every_k", "ac_every": 2}
    return {"ac": {"full": "full", "selective-op": "selective_op"}.get(words, "none")}


def _adapters(row: Json) -> Json:
    words = str(row.get("peft") or "").lower()
    if "lora" not in words:
        return {}
    rank = re.search(r"\br(\d+)\b", words)
    targets = re.search(r"\br\d+ ([qkvo](?:,[qkvo])*)$", words)
    chosen = tuple(f"{letter}_proj" for letter in targets.group(1).split(",")) if targets else ()
    full = row["precision"].get("master") == "fp32"
    bits = 4 if "qlora" in words else 32 if full else 16
    return {"lora_rank": int(rank.group(1)) if rank else 8, "lora_targets": chosen, "base_bits": bits}


def _float8(row: Json) -> Json:
    words = str(row.get("float8") or "").lower()
    if not words:
        return {}
    kind = "rowwise" if "rowwise" in words else "mxfp8" if "mxfp8" in words else "tensorwise"
    return {"float8": kind, "float8_all_gather": "all-gather" in words or " ag" in words}


def _reshard(row: Json) -> Json:
    words = str(row.get("reshard") or "").lower()
    strategy = str(row.get("strategy") or "").lower()
    return {"reshard_after_forward": not words.startswith("never") and strategy != "shard_grad_op"}


def _loss(words: object) -> Json:
    text = str(words or "").lower()
    pieces = re.search(r"(\d+)", text)
    count = {"loss_chunks": int(pieces.group(1))} if pieces else {}
    if "linear" in text and "chunked/" not in text:
        return {"loss_impl": "fused_linear"} | count
    if "chunked" in text:
        return {"loss_impl": "chunked"} | count
    return {"loss_impl": "compiled"} if "compiled" in text else {}


def _known(known: Json, *, stated: bool) -> Json:
    """Return what the row's `settings` state.

    Args:
        known: The settings.
        stated: Whether a wrapping without a provenance counts; a framework's own history
            knows better.
    """
    found: Json = _loss(known.get("loss_impl")) or ({"loss_impl": known["loss_impl"]} if known.get("loss_impl") else {})
    for theirs, ours in (
        ("logits_kept_until_step_end", "logits_kept"),
        ("expandable_segments", "expandable_segments"),
        ("root_reshard_after_forward", "root_reshard"),
    ):
        if isinstance(known.get(theirs), bool):
            found[ours] = known[theirs]
    if known.get("norm_kernel"):
        # "compiled": the blocks' norms are; the final norm outside them runs as it is written.
        found["norm_kernel"] = "fused" if known["norm_kernel"] == "fused" else "decomposed"
    if known.get("wrap") and (stated or known.get("provenance")):
        found["wrap"] = "emb_blocks_head" if str(known["wrap"]).startswith("emb|") else "blocks_root"
    return found
