"""The words of a run's record, as settings: one function for each field."""

import re

from engines.sizing.row_fields import Json, section, truth, whole

_DEGREES: dict[str, tuple[str, ...]] = {
    "dp_shard": ("dp_shard", "fsdp", "shard", "data_parallel_shard", "dp_shard_degree"),
    "dp_replicate": ("dp_replicate", "replicate", "ddp", "replicas", "hsdp_replicate", "dp_replicate_degree"),
    "tp": ("tp", "tensor", "tensor_parallel", "tp_degree"),
    "pp": ("pp", "pipeline", "pipeline_parallel", "pp_degree"),
    "cp": ("cp", "context", "context_parallel", "cp_degree"),
    "ep": ("ep", "expert", "expert_parallel", "ep_degree"),
}
"""Dimension of the mesh: what records call it."""

_DTYPES = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "half": "fp16", "fp32": "fp32",
           "float32": "fp32", "tf32": "fp32", "float": "fp32", "single": "fp32"}  # fmt: skip

_DTYPE = re.compile(r"(?<![a-z0-9])(" + "|".join(sorted(_DTYPES, key=len, reverse=True)) + r")(?![0-9])")


def mesh(row: Json) -> Json:
    """Read an object such as {"dp_shard": 4, "tp": 2}, or text such as "dp_shard=4, tp=2" or "FSDP 4 x TP 2"."""
    given = section(row, "mesh")
    if isinstance(row.get("mesh"), str):
        pairs = re.findall(r"([a-z_]+)\s*[=: ]?\s*(\d+)", str(row["mesh"]).lower())
        given = {name: int(number) for name, number in pairs}
    found: Json = {}
    for degree, names in _DEGREES.items():
        values = [whole(given[name]) for name in names if given.get(name)]
        if values:
            found[degree] = values[0]
    return found


def micro_batches(local_batch: object, degrees: Json, schedule: object) -> Json:
    """Split a local batch over a pipeline: one micro-batch for each of its stages (torchtitan's default)."""
    stages = degrees.get("pp")
    if not isinstance(stages, int) or stages < 2 or not isinstance(local_batch, int):
        return {}
    words = str(schedule or "").lower()
    found: Json = {}
    if "interleave" in words:
        found["pp_schedule"], stages = "interleaved_1f1b", 2 * stages
    elif "gpipe" in words:
        found["pp_schedule"] = "gpipe"
    if local_batch % stages:
        return found
    return found | {"micro_batch": local_batch // stages, "grad_accum": stages}


def dtype(value: object) -> str | None:
    """Return the dtype that a text names ("torch.bfloat16", "bf16-true", "amp_bf16"), or None."""
    found = _DTYPE.search(str(value or "").lower().replace("_", " "))
    return _DTYPES[found.group(1)] if found else None


def precision(row: Json) -> Json:
    """Read dtypes for parameters, reduction and master weights; one text stands for the parameters'."""
    words = section(row, "precision")
    if not words and row.get("precision"):
        words = {"param": row["precision"]}
    param, reduce = str(words.get("param", "bf16")).lower(), str(words.get("reduce", "fp32")).lower()
    master = dtype(words.get("master"))
    pure = "true" in param or "pure" in param
    if master is None:
        master = (dtype(param) or "bf16") if pure else "fp32"
    if "autocast" in param:  # "fp32 shard + bf16 autocast"
        narrow = [kind for kind in map(_DTYPES.get, _DTYPE.findall(param)) if kind != "fp32"]
        return {"autocast": True, "param_dtype": narrow[0] if narrow else "bf16", "master_dtype": master}
    reduced = dtype(reduce) or (master if reduce in ("-", "default", "none") and master != "fp32" else "fp32")
    return {"param_dtype": dtype(param) or "bf16", "reduce_dtype": reduced, "master_dtype": master}


def optimizer(row: Json) -> Json:
    """Read a name such as "AdamW foreach (fp32 states)" or "PagedAdamW8bit, optimizer_in_bwd"."""
    words = re.sub(r"[\s_-]+", " ", str(row.get("optimizer") or "").lower())
    eight = re.search(r"\b8 ?bit|8bit|adam8|int8", words)
    named = (("adafactor", "adafactor"), ("muon", "muon"), ("lion", "sgd_momentum"), ("momentum", "sgd_momentum"))
    kind = next((kind for mark, kind in named if mark in words), "sgd" if re.search(r"\bsgd", words) else "adamw")
    return {
        "optimizer": "adamw_8bit" if eight and kind == "adamw" else kind,
        "optimizer_paged": "paged" in words,
        "optimizer_impl": "fused" if "fused" in words else "loop" if "for loop" in words else "foreach",
        "optimizer_in_backward": bool(re.search(r"in (?:the )?(?:bwd|backward)|in backwards", words)),
    }


def checkpointing(row: Json) -> Json:
    """Read "none", "full", "selective-op", "SAC (per op)", "layer-2", "every 2nd block", true or false."""
    value = row.get("ac")
    if isinstance(value, bool):
        return {"ac": "full" if value else "none"}
    if isinstance(value, dict):
        value = f"{value.get('mode') or ''} {value.get('option') or value.get('selective_ac_option') or ''}"
    words = re.sub(r"[\s_()-]+", " ", str(value or "").lower()).strip(" ?")
    every = re.search(r"(?:layer|every|selective|block|each)s? ?(\d+)", words)
    if every:
        return {"ac": "every_k", "ac_every": int(every.group(1))} if int(every.group(1)) > 1 else {"ac": "full"}
    if re.search(r"selective layer|every (?:other|second)", words):
        return {"ac": "every_k", "ac_every": 2}
    if re.search(r"\bop\b|\bops\b|\bsac\b", words) or words == "selective":
        return {"ac": "selective_op"}
    kept = not truth(words) or words in ("no ac", "without", "no checkpointing")
    full = re.search(r"full|all|true|yes|\bon\b|every block|each block|checkpoint", words)
    return {"ac": "none"} if kept or not full else {"ac": "full"}


def adapters(row: Json) -> Json:
    """Read "LoRA r16 q,k,v,o", "QLoRA rank 64 all-linear", or {"type": "lora", "r": 16, "targets": [...]}."""
    value = row.get("peft")
    targets: tuple[str, ...] = ()
    if isinstance(value, dict):
        listed = value.get("targets") or value.get("target_modules")
        targets = tuple(str(name) for name in listed) if isinstance(listed, list) else ()
        kind = value.get("type") or value.get("peft_type") or "lora"
        value = f"{kind} r{value.get('r') or value.get('rank') or value.get('lora_r') or ''}"
    words = str(value or "").lower()
    if not re.search(r"lora|dora", words):
        return {}
    rank = re.search(r"\b(?:r|rank)[ =:]*(\d+)\b", words)
    letters = re.search(r"(?:^|[\s(])([qkvo](?:\s*,\s*[qkvo])*)\)?$", words)
    if letters and not targets:
        targets = tuple(f"{letter.strip()}_proj" for letter in letters.group(1).split(","))
    if re.search(r"all[ -]linear", words):
        targets = ()
    master = precision(row)["master_dtype"]
    return {
        "lora_rank": int(rank.group(1)) if rank else 8,
        "lora_targets": targets,
        "base_bits": 4 if re.search(r"q(?:lo|do)ra|nf4|4[ -]?bit", words) else 32 if master == "fp32" else 16,
    }


def float8(row: Json) -> Json:
    """Read "tensorwise+fp8 all-gather", "rowwise", "mxfp8_cublas" or true."""
    value = row.get("float8")
    words = " ".join(map(str, value.values())).lower() if isinstance(value, dict) else str(value or "").lower()
    if not truth(words):
        return {}
    kind = "rowwise" if re.search(r"row.?wise|axis", words) else "mxfp8" if "mx" in words else "tensorwise"
    gathered = bool(re.search(r"all.?gather|\bag\b", words)) and not re.search(r"(?:no|without) (?:fp8 )?all", words)
    return {"float8": kind, "float8_all_gather": gathered and kind == "tensorwise"}


def reshard(row: Json) -> Json:
    """Read "never (ZeRO-2)", "always", false, 4, or the strategies SHARD_GRAD_OP and NO_SHARD."""
    value, strategy = row.get("reshard"), re.sub(r"[\s-]+", "_", str(row.get("strategy") or "").lower())
    if isinstance(value, bool):
        return {"reshard_after_forward": value}
    count = whole(value)
    if isinstance(count, int) and count > 0:
        return {"reshard_after_forward": count}
    words = str(value or "").strip().lower()
    never = bool(re.match(r"never|false|no\b|not\b|zero-?2", words)) or strategy.endswith(("grad_op", "zero2"))
    return {"reshard_after_forward": not never}


def loss(words: object) -> Json:
    """Read "chunked CE (8)", "chunked_8", "chunked linear CE", "liger", "compiled CE" or "fp32 logits"."""
    text = str(words or "").lower()
    pieces = re.search(r"(\d+)(?!\d*[- ]?bit)", re.sub(r"fp32|bf16|fp16", "", text))
    count = {"loss_chunks": int(pieces.group(1))} if pieces else {}
    if re.search(r"liger|cut.?cross|\bcce\b", text) or ("linear" in text and "chunked/" not in text):
        return {"loss_impl": "fused_linear"} | count
    if "chunk" in text:
        return {"loss_impl": "chunked"} | count
    if "compil" in text:
        return {"loss_impl": "compiled"}
    if "in_model" in text or "in the model" in text or "fp32 logits" in text:
        return {"loss_impl": "fp32_in_model"}
    if "fp32" in text:
        return {"loss_impl": "fp32_copy"}
    return {"loss_impl": "plain"} if "plain" in text or "bf16" in text else {}


def wrapping(words: object) -> Json:
    """Read "blocks+root(emb,norm,out)", "emb|blocks|[norm,head]|root", "root" or "finer"."""
    text = re.sub(r"\s+", "", str(words or "").lower())
    if not text:
        return {}
    if re.match(r"emb\w*[|,+]", text) or text.startswith("finer"):
        return {"wrap": "emb_blocks_head"}
    return {"wrap": "root"} if text in ("root", "rootonly", "wholemodel") else {"wrap": "blocks_root"}


def known(settings: Json, *, with_wrap: bool) -> Json:
    """Return what a row's `settings` state.

    Args:
        settings: The settings.
        with_wrap: Whether its wrapping counts; without a provenance a framework's own
            history knows better.
    """
    found = loss(settings.get("loss_impl"))
    for theirs, ours in (
        ("logits_kept_until_step_end", "logits_kept"),
        ("expandable_segments", "expandable_segments"),
        ("root_reshard_after_forward", "root_reshard"),
        ("accumulate_unsharded", "accumulate_unsharded"),
        ("activation_offload", "act_offload"),
        ("act_offload", "act_offload"),
        ("loss_parallel", "loss_parallel"),
    ):
        if isinstance(settings.get(theirs), bool):
            found[ours] = settings[theirs]
    if settings.get("norm_kernel"):
        # "compiled": the blocks' norms are; the final norm outside them runs as it is written.
        found["norm_kernel"] = "fused" if settings["norm_kernel"] == "fused" else "decomposed"
    return found | (wrapping(settings.get("wrap")) if with_wrap else {})
