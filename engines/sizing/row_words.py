"""The words of a run's record, as settings: one function for each field."""

import re
from typing import Any

Json = dict[str, Any]


def section(row: Json, name: str) -> Json:
    """Return an object within a row; empty where it is absent or no object."""
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def micro_batches(local_batch: object, stages: object) -> Json:
    """Split a local batch over a pipeline: one micro-batch for each stage (torchtitan's default)."""
    if isinstance(stages, int) and stages > 1 and isinstance(local_batch, int) and local_batch % stages == 0:
        return {"micro_batch": local_batch // stages, "grad_accum": stages}
    return {}


def precision(row: Json) -> Json:
    """Read dtypes such as "bf16", "bf16-true", "amp_bf16" and "-"."""
    words = section(row, "precision")
    param, master = str(words.get("param", "bf16")), str(words.get("master", "fp32"))
    reduce = str(words.get("reduce", "fp32"))
    return {
        "param_dtype": "fp32" if param == "fp32" else "bf16",
        "reduce_dtype": "bf16" if "bf16" in reduce or (reduce == "-" and "bf16" in master) else "fp32",
        "master_dtype": "bf16" if "bf16" in master else "fp32",
    }


def optimizer(row: Json) -> Json:
    """Read a name such as "AdamW foreach (fp32 states)" or "PagedAdamW8bit, optimizer_in_bwd"."""
    words = str(row.get("optimizer") or "").lower()
    named = ("adamw_8bit", ("8bit", "8-bit")), ("adafactor", ("adafactor",)), ("muon", ("muon",)), ("sgd", ("sgd",))
    return {
        "optimizer": next((kind for kind, marks in named if any(mark in words for mark in marks)), "adamw"),
        "optimizer_paged": "paged" in words,
        "optimizer_impl": "fused" if "fused" in words else "foreach",
        "optimizer_in_backward": "in_bwd" in words or "in_backward" in words,
    }


def checkpointing(row: Json) -> Json:
    """Read "none", "full", "selective-op", "selective-layer" or "layer-2"."""
    words = str(row.get("ac") or "none").lower().rstrip("?")
    every = re.fullmatch(r"(?:selective-)?layer-(\d+)", words)
    if every:
        return {"ac": "every_k", "ac_every": int(every.group(1))}
    if words == "selective-layer":
        return {"ac": "every_k", "ac_every": 2}
    return {"ac": {"full": "full", "selective-op": "selective_op"}.get(words, "none")}


def adapters(row: Json) -> Json:
    """Read "LoRA r16 q,k,v,o" or "QLoRA r64 (repo default)"."""
    words = str(row.get("peft") or "").lower()
    if "lora" not in words:
        return {}
    rank = re.search(r"\br(\d+)\b", words)
    targets = re.search(r"\br\d+ ([qkvo](?:,[qkvo])*)$", words)
    wide = "fp32" in str(section(row, "precision").get("master"))
    return {
        "lora_rank": int(rank.group(1)) if rank else 8,
        "lora_targets": tuple(f"{letter}_proj" for letter in targets.group(1).split(",")) if targets else (),
        "base_bits": 4 if "qlora" in words else 32 if wide else 16,
    }


def float8(row: Json) -> Json:
    """Read "tensorwise+fp8 all-gather", "rowwise" or "mxfp8_cublas"."""
    words = str(row.get("float8") or "").lower()
    if not words:
        return {}
    kind = "rowwise" if "rowwise" in words else "mxfp8" if "mxfp8" in words else "tensorwise"
    return {"float8": kind, "float8_all_gather": "all-gather" in words or " ag" in words}


def reshard(row: Json) -> Json:
    """Read "never (ZeRO-2)" or the strategy SHARD_GRAD_OP; all else reshards after forward."""
    words, strategy = (str(row.get(field) or "").lower() for field in ("reshard", "strategy"))
    return {"reshard_after_forward": not words.startswith("never") and strategy != "shard_grad_op"}


def loss(words: object) -> Json:
    """Read "chunked CE (8)", "chunked_8", "chunked linear CE" or "compiled CE"."""
    text = str(words or "").lower()
    pieces = re.search(r"(\d+)", text)
    count = {"loss_chunks": int(pieces.group(1))} if pieces else {}
    if "linear" in text and "chunked/" not in text:
        return {"loss_impl": "fused_linear"} | count
    if "chunked" in text:
        return {"loss_impl": "chunked"} | count
    return {"loss_impl": "compiled"} if "compiled" in text else {}


def known(settings: Json, *, with_wrap: bool) -> Json:
    """Return what a row's `settings` state.

    Args:
        settings: The settings.
        with_wrap: Whether its wrapping counts; without a provenance a framework's own
            history knows better.
    """
    found = loss(settings.get("loss_impl"))
    if not found and settings.get("loss_impl"):
        found = {"loss_impl": settings["loss_impl"]}
    for theirs, ours in (
        ("logits_kept_until_step_end", "logits_kept"),
        ("expandable_segments", "expandable_segments"),
        ("root_reshard_after_forward", "root_reshard"),
    ):
        if isinstance(settings.get(theirs), bool):
            found[ours] = settings[theirs]
    if settings.get("norm_kernel"):
        # "compiled": the blocks' norms are; the final norm outside them runs as it is written.
        found["norm_kernel"] = "fused" if settings["norm_kernel"] == "fused" else "decomposed"
    if settings.get("wrap") and with_wrap:
        found["wrap"] = "emb_blocks_head" if str(settings["wrap"]).startswith("emb|") else "blocks_root"
    return found
