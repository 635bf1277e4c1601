"""What a dry run is told: the model, the sharding, the step."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from fsdp_sft_config import ConfigError

CHOICES: dict[str, tuple[str, ...]] = {
    "device": ("fake", "cuda"),
    "param_dtype": ("bf16", "fp16", "fp32"),
    "reduce_dtype": ("bf16", "fp16", "fp32"),
    "master_dtype": ("bf16", "fp16", "fp32"),
    "optimizer": ("none", "sgd", "sgd_momentum", "adamw", "adafactor", "muon"),
    "optimizer_impl": ("foreach", "fused", "loop"),
    "ac": ("none", "full", "selective_op", "every_k"),
    "loss_impl": ("plain", "fp32_copy", "fp32_in_model", "chunked", "compiled", "fused_linear"),
    "wrap": ("blocks_root", "emb_blocks_head", "root"),
    "attention": ("auto", "eager"),
}
"""Words that a setting may be."""


@dataclasses.dataclass(frozen=True)
class Dryrun:
    """One dry run; the fields from `ranks` on mean what they mean in an estimate."""

    config: str | None = None
    """A Hugging Face config.json, beside this configuration; exactly one of this and `factory`."""
    factory: str | None = None
    """`module:function` that returns the model when it is called without arguments."""
    folder: str | None = None
    """Folder from which the factory's module is imported."""
    device: str = "fake"
    """fake: nothing is allocated; cuda: real tensors on one GPU, whose allocator is asked."""
    steps: int = 2
    """Optimizer steps; the second one meets the optimizer's state."""
    layers: tuple[int, ...] = ()
    """Numbers of layers in place of the configuration's own, with a trace for each; empty: its own."""
    attention: str = "auto"
    """auto: what the model's code chooses; eager: scores in memory."""
    ranks: int = 1
    dp_shard: int = 1
    dp_replicate: int = 1
    micro_batch: int = 1
    seq_len: int = 1
    grad_accum: int = 1
    accumulate_unsharded: bool = False
    param_dtype: str = "bf16"
    reduce_dtype: str = "fp32"
    master_dtype: str = "fp32"
    optimizer: str = "adamw"
    optimizer_impl: str = "foreach"
    optimizer_in_backward: bool = False
    ac: str = "none"
    ac_every: int = 1
    attention_kept: bool = True
    loss_impl: str = "fp32_copy"
    loss_chunks: int = 8
    shifted_copy: bool = False
    logits_kept: bool = False
    wrap: str = "blocks_root"
    reshard_after_forward: bool | int = True
    reshard_last: bool = False
    root_reshard: bool = False
    cpu_offload: bool = False


def read_dryrun(path: Path) -> Dryrun:
    """Read the configuration of a dry run.

    Raises:
        ConfigError: It cannot be read, or a value is not one that is known.
    """
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    run = parse_dryrun(raw)
    return run if run.config is None else dataclasses.replace(run, config=str(path.parent / run.config))


def parse_dryrun(raw: Any) -> Dryrun:
    """Check a configuration that was read from JSON.

    Raises:
        ConfigError: A key or a value is not one that is known.
    """
    if not isinstance(raw, dict):
        raise ConfigError(f"the configuration must be a JSON object, not {type(raw).__name__}")
    fields = {field.name: field for field in dataclasses.fields(Dryrun)}
    unknown = sorted(set(raw) - set(fields))
    if unknown:
        raise ConfigError(f"unknown keys {', '.join(unknown)}; known are {', '.join(fields)}")
    for name, value in raw.items():
        _check(name, value, fields[name].default)
    run = Dryrun(**raw | {"layers": tuple(raw.get("layers", ()))})
    if (run.config is None) == (run.factory is None):
        raise ConfigError("name either config (a config.json) or factory (module:function)")
    if run.ranks != run.dp_shard * run.dp_replicate:
        product = f"{run.dp_replicate} x {run.dp_shard} = {run.dp_replicate * run.dp_shard}"
        raise ConfigError(f"dp_replicate x dp_shard = {product}, but there are {run.ranks} ranks")
    return run


def _check(name: str, value: Any, default: Any) -> None:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise ConfigError(f"{name} must be one of {', '.join(CHOICES[name])}, not {value!r}")
    elif name == "layers":
        if not isinstance(value, list | tuple) or not all(type(number) is int and number > 0 for number in value):
            raise ConfigError(f"layers must be a list of numbers, not {value!r}")
    elif default is None:
        if not isinstance(value, str | None):
            raise ConfigError(f"{name} must be text, not {value!r}")
    elif name != "reshard_after_forward" and type(value) is not type(default):
        raise ConfigError(f"{name} must be {type(default).__name__}, not {value!r}")
    elif isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise ConfigError(f"{name} must be at least 1, not {value}")
