"""The fields of a run's record under one name each, whatever its author called them."""

import re
from typing import Any

from contracts.errors import RequestInvalid

Json = dict[str, Any]

_NAMES: dict[str, tuple[str, ...]] = {
    "layers": ("num_layers", "n_layers", "n_layer", "num_hidden_layers", "depth"),
    "hidden": ("hidden_size", "dim", "d_model", "n_embd", "width"),
    "heads": ("num_heads", "n_heads", "n_head", "num_attention_heads", "q_heads"),
    "kv_heads": ("num_kv_heads", "n_kv_heads", "num_key_value_heads", "key_value_heads"),
    "head_dim": ("d_head", "head_size"),
    "ffn": ("intermediate_size", "ffn_dim", "ffn_hidden", "d_ff", "mlp_dim", "ffn_size"),
    "vocab": ("vocab_size", "vocabulary", "n_vocab"),
    "tied": ("tie_word_embeddings", "tied_embeddings", "tie_embeddings"),
    "params": ("num_params", "n_params", "parameters"),
    "gpus": ("ranks", "world_size", "num_gpus", "n_gpus", "gpu_count", "total_gpus", "devices"),
    "gpu_type": ("gpu", "gpu_name", "device_type", "accelerator", "hardware"),
    "local_batch": (
        "local_batch_size", "batch", "batch_size", "micro_batch", "micro_batch_size", "mbs", "per_device_batch_size",
        "per_device_train_batch_size", "batch_per_gpu",
    ),
    "seq_len": ("seq", "sequence_length", "seq_length", "context_length", "context", "max_seq_len", "block_size"),
    "grad_accum": ("gradient_accumulation", "gradient_accumulation_steps", "grad_acc", "accumulation_steps"),
    "mesh": ("parallelism", "parallel", "parallel_dims"),
    "precision": ("dtype", "dtypes", "mixed_precision", "mp_policy"),
    "optimizer": ("optim", "optimiser"),
    "ac": ("activation_checkpointing", "checkpointing", "gradient_checkpointing", "recompute", "remat"),
    "compile": ("torch_compile", "compiled"),
    "cpu_offload": ("offload", "param_offload", "fsdp_cpu_offload"),
    "act_offload": ("activation_offload", "activation_offloading", "enable_activation_offloading"),
    "reshard": ("reshard_after_forward", "fsdp_reshard_after_forward"),
    "strategy": ("sharding_strategy", "sharding"),
    "peft": ("adapter", "adapters", "lora", "method"),
    "float8": ("fp8",),
    "loss": ("loss_impl", "loss_fn", "cross_entropy"),
    "wrap": ("wrapping", "wrap_policy", "auto_wrap_policy"),
    "pp_schedule": ("schedule", "pipeline_schedule"),
    "framework": ("library", "trainer", "code"),
    "date": ("published", "when"),
    "config": ("hf_config", "model_config"),
    "note": ("notes", "remark", "remarks", "comment"),
}  # fmt: skip
"""Field of this reader: what else records call it."""

_KNOWN = {synonym: field for field, synonyms in _NAMES.items() for synonym in synonyms}

_COUNTS = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "gpus", "local_batch", "seq_len",
           "grad_accum", "params")  # fmt: skip
"""Fields that are whole numbers."""

_FALSE = ("", "0", "false", "no", "off", "none", "null", "n/a", "-", "disabled")
_GROUPED = re.compile(r"\d{1,3}(?:[,_ ]\d{3})+|\d+")


def normalised(row: Json) -> Json:
    """Return a row with one name for each field and numbers as numbers; what it does not know is kept.

    Raises:
        RequestInvalid: Two names of one field contradict each other.
    """
    found: Json = {}
    for name, value in row.items():
        plain = re.sub(r"[\s-]+", "_", str(name).strip().lower())
        field = _KNOWN.get(plain, plain)
        if field in found and value is not None and found[field] not in (None, value):
            raise RequestInvalid(
                f"row {row.get('id')}: {field} is given twice, as {found[field]!r} and {value!r}"[:300]
            )
        if found.get(field) is None:
            found[field] = value
    for field in _COUNTS:
        if field in found:
            found[field] = whole(found[field])
    return found


def whole(value: object) -> object:
    """Return a number that was written as text or as a float, as a whole number; anything else as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _GROUPED.fullmatch(value.strip()):
        return int(re.sub(r"[,_ ]", "", value))
    return value


def truth(value: object) -> bool:
    """Read a truth value: a boolean, a number, or a word such as "yes", "off" or "params"."""
    if isinstance(value, str):
        return value.strip().lower() not in _FALSE
    return bool(value)


def section(row: Json, name: str) -> Json:
    """Return an object within a row, its keys in lower case; empty where it is absent or no object."""
    value = row.get(name)
    return {str(key).strip().lower(): item for key, item in value.items()} if isinstance(value, dict) else {}
