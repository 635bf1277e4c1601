"""What the job was asked to do: the configuration file, read and checked.

Standard library only, so that a wrong configuration is refused before torch loads.
The recipe has the fields of `contracts.recipe.Recipe`; a test holds the two together.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints


class ConfigError(ValueError):
    """The job cannot start from what it was given; the message says how to mend it."""


@dataclass(frozen=True)
class Recipe:
    """How to train; meaning and units are those of `contracts.recipe.Recipe`."""

    steps: int = 100
    seq_len: int = 512
    micro_batch: int = 1
    grad_accum: int = 1
    lr: float = 2e-5
    min_lr_ratio: float = 0.1
    warmup_steps: int = 0
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.95
    eps: float = 1e-8
    max_grad_norm: float = 1.0
    param_dtype: str = "bf16"
    reduce_dtype: str = "fp32"
    activation_checkpointing: str = "none"
    reshard_after_forward: bool = True
    cpu_offload: bool = False
    dp_replicate: int = 1
    seed: int = 0
    eval_every: int = 0
    eval_batches: int = 8
    checkpoint_every: int = 50
    keep_checkpoints: int = 2
    async_checkpoints: bool = False
    log_every: int = 1
    export: bool = True


_CHOICES = {
    "param_dtype": ("bf16", "fp32"),
    "reduce_dtype": ("bf16", "fp32"),
    "activation_checkpointing": ("none", "full"),
    "device": ("cpu", "cuda"),
}

# name -> (lowest, whether the lowest itself is allowed)
_LOWEST: dict[str, tuple[float, bool]] = {
    **dict.fromkeys(("steps", "micro_batch", "grad_accum", "dp_replicate", "eval_batches", "log_every"), (1, True)),
    **dict.fromkeys(("warmup_steps", "seed", "eval_every", "checkpoint_every"), (0, True)),
    **dict.fromkeys(("min_lr_ratio", "weight_decay", "beta1", "beta2", "max_grad_norm"), (0, True)),
    **dict.fromkeys(("seq_len", "keep_checkpoints"), (2, True)),
    **dict.fromkeys(("lr", "eps"), (0, False)),
}

# name -> (highest, whether the highest itself is allowed)
_HIGHEST: dict[str, tuple[float, bool]] = {"min_lr_ratio": (1, True), "beta1": (1, False), "beta2": (1, False)}

_TYPE_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}


@dataclass(frozen=True)
class Config:
    """The whole configuration file."""

    model: Path
    """Hugging Face folder: config.json, *.safetensors, tokenizer files."""
    train_data: Path
    """JSONL file of training examples."""
    eval_data: Path | None = None
    """JSONL file of held-out examples."""
    device: str = "cuda"
    """`cpu` or `cuda`."""
    recipe: Recipe = field(default_factory=Recipe)
    """How to train."""
    resume_from: Path | None = None
    """Step folder of another run to start from, where this run has no checkpoint of its own."""
    trial: bool = False
    """Whether only speed and memory are of interest: then neither checkpoint nor export is written."""


def load_config(path: Path) -> Config:
    """Read and check a configuration file.

    Raises:
        ConfigError: The file cannot be read, or a key or value in it is wrong.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error
    return parse_config(raw)


def parse_config(raw: Any) -> Config:
    """Check a configuration that was read from JSON.

    Raises:
        ConfigError: A key or value is wrong, or a file that it names is missing.
    """
    known = [entry.name for entry in dataclasses.fields(Config)]
    _check_keys("the configuration", raw, known)
    for name in ("model", "train_data"):
        if name not in raw:
            raise ConfigError(f"the configuration lacks {name!r}")
    paths = {name: _path(name, raw.get(name)) for name in ("model", "train_data", "eval_data", "resume_from")}
    model, train_data = paths["model"], paths["train_data"]
    if model is None or train_data is None:
        raise ConfigError("model and train_data must be paths, not null")
    if not (model / "config.json").is_file():
        raise ConfigError(f"model: {model} is not a Hugging Face folder (it has no config.json)")
    for name in ("train_data", "eval_data"):
        file = paths[name]
        if file is not None and not file.is_file():
            raise ConfigError(f"{name}: there is no file {file}")
    start = paths["resume_from"]
    if start is not None and not start.is_dir():
        raise ConfigError(f"resume_from: there is no checkpoint {start}")
    device = _value("device", raw.get("device", "cuda"), str)
    trial = _value("trial", raw.get("trial", False), bool)
    return Config(model, train_data, paths["eval_data"], device, parse_recipe(raw.get("recipe", {})), start, trial)


def parse_recipe(raw: Any) -> Recipe:
    """Check the training settings.

    Raises:
        ConfigError: A key is unknown, or a value has a wrong type or size.
    """
    kinds = get_type_hints(Recipe)
    _check_keys("recipe", raw, list(kinds))
    recipe = Recipe(**{name: _value(name, value, kinds[name]) for name, value in raw.items()})
    if recipe.warmup_steps >= recipe.steps:
        raise ConfigError(f"warmup_steps ({recipe.warmup_steps}) must be below steps ({recipe.steps})")
    return recipe


def _check_keys(where: str, raw: Any, known: list[str]) -> None:
    if not isinstance(raw, dict):
        raise ConfigError(f"{where} must be a JSON object, not {type(raw).__name__}")
    unknown = sorted(set(raw) - set(known))
    if unknown:
        raise ConfigError(f"{where} has unknown keys {', '.join(unknown)}; it may have {', '.join(sorted(known))}")


def _path(name: str, value: Any) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{name} must be a path, not {value!r}")
    return Path(value)


def _value(name: str, value: Any, kind: type) -> Any:
    """Return the value as its declared type, checked against its limits."""
    right = (int, float) if kind is float else kind
    # bool is a subclass of int: `steps: true` is a mistake, not one step
    if not isinstance(value, right) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError(f"{name} must be {_TYPE_WORDS[kind]}, not {value!r}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ConfigError(f"{name} must be one of {', '.join(_CHOICES[name])}, not {value!r}")
    if kind in (int, float):
        _check_size(name, value)
    return float(value) if kind is float else value


def _check_size(name: str, value: float) -> None:
    lowest, with_lowest = _LOWEST[name]
    if not (value >= lowest if with_lowest else value > lowest) or value in (float("inf"), float("-inf")):
        raise ConfigError(f"{name} must be {'at least' if with_lowest else 'above'} {lowest}, not {value}")
    highest, with_highest = _HIGHEST.get(name, (float("inf"), False))
    if not (value <= highest if with_highest else value < highest):
        raise ConfigError(f"{name} must be {'at most' if with_highest else 'below'} {highest}, not {value}")
