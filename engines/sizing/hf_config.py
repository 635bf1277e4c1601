"""Reading a ModelShape from a Hugging Face config.json, a folder, or a known name."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.errors import CannotBeKnown, FileUnreadable, RequestInvalid
from contracts.regular import open_regular
from engines.sizing.families import FAMILIES, Traits
from engines.sizing.shape import ModelShape
from knowledge.shapes import find_shape, named_shapes

_MAX_CONFIG_BYTES = 1 << 20
"""A config.json is a few KiB; a larger file is something else."""

Config = dict[str, Any]


def shape_of(model: str) -> ModelShape:
    """Return the shape of a model given as a folder, a config.json or a name.

    Raises:
        FileUnreadable: The path holds no readable config.json.
        RequestInvalid: The configuration describes no model that can be sized.
        CannotBeKnown: Neither a path nor a known name.
    """
    if Path(model).exists():
        return read_folder(Path(model))
    return named_shape(model)


def named_shape(name: str) -> ModelShape:
    """Return the shape of a model that `knowledge/models` knows by name.

    Raises:
        CannotBeKnown: The name is not known.
    """
    found = find_shape(name)
    if found is None:
        known = ", ".join(shape.name for shape in named_shapes().values())
        raise CannotBeKnown(
            f"the model {name!r} is neither a folder nor a name that is known here",
            code="model_unknown",
            hint=f"give the folder of its config.json, or one of: {known}",
        )
    return from_config(found.config, found.name)


def read_folder(path: Path) -> ModelShape:
    """Return the shape that a Hugging Face folder, or its config.json itself, describes.

    Raises:
        FileUnreadable: There is no readable config.json.
        RequestInvalid: The configuration describes no model that can be sized.
    """
    file = path / "config.json" if path.is_dir() else path
    try:
        with open_regular(file) as stream:
            raw = stream.read(_MAX_CONFIG_BYTES + 1)
    except OSError as problem:
        raise FileUnreadable(f"{file} cannot be read: {problem.strerror or problem}") from None
    if len(raw) > _MAX_CONFIG_BYTES:
        raise RequestInvalid(f"{file} is larger than {_MAX_CONFIG_BYTES} bytes: no config.json of a model")
    try:
        config = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise RequestInvalid(f"{file} is not JSON: {problem}") from None
    return from_config(config, file.parent.name if file.name == "config.json" else file.stem)


def from_config(config: object, name: str = "model") -> ModelShape:
    """Return the shape that the fields of a config.json describe.

    Args:
        config: The parsed file.
        name: What to call the model in messages.

    Raises:
        RequestInvalid: A field is missing, of the wrong kind, or contradicts another.
    """
    if not isinstance(config, dict):
        raise RequestInvalid(f"config.json of {name} holds a {type(config).__name__}, not an object of fields")
    text = config.get("text_config")
    fields: Config = text if isinstance(text, dict) else config
    family = fields.get("model_type", config.get("model_type"))
    if not isinstance(family, str):
        raise RequestInvalid(f"config.json of {name} has no model_type", hint="is it the config.json of a model?")
    traits = FAMILIES.get(family)
    notes: tuple[str, ...] = ()
    if traits is None:
        traits = FAMILIES["llama"]
        notes = (f"model_type {family!r} is not known here; read as a Llama-type decoder",)
    try:
        return ModelShape(name=name, family=family, notes=notes, **_fields(fields, traits, name))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        given = f" (given: {str(first['input'])[:60]})" if place else ""
        raise RequestInvalid(f"config.json of {name}: {place + ': ' if place else ''}{said}{given}") from None


def _fields(config: Config, traits: Traits, name: str) -> dict[str, Any]:
    read = _Reader(config, traits.names, name)
    hidden, heads = read.size("hidden_size"), read.size("num_attention_heads")
    shape: dict[str, Any] = {
        "layers": read.size("num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": read.size("num_key_value_heads", heads),
        "head_dim": read.size("head_dim", traits.head_dim) if _given(config, traits) else _divided(hidden, heads, name),
        "ffn": read.size("intermediate_size", traits.ffn_per_hidden * hidden or None),
        "vocab": read.size("vocab_size"),
        "tied": read.flag("tie_word_embeddings", traits.tied),
        "qkv_bias": traits.qkv_bias or read.flag("attention_bias", False),
        "out_bias": traits.out_bias or (traits.bias_key_covers_out and read.flag("attention_bias", False)),
        "mlp_bias": traits.mlp_bias or read.flag("mlp_bias", False),
        "sliding_window": read.size("sliding_window", 0) or None,
        "full_every": _full_every(config, read, traits),
        "logit_softcap": config.get("final_logit_softcapping") is not None,
        "score_softcap": config.get("attn_logit_softcapping", traits.score_cap or None) is not None,
    }
    if not read.flag("use_sliding_window", True):
        shape["sliding_window"] = None
    return shape | traits.fixed | traits.mixture(read) | traits.latent(read)


def _full_every(config: Config, read: "_Reader", traits: Traits) -> int:
    """Return after how many layers one looks back over everything; 0: none does."""
    kinds = config.get("layer_types")
    if isinstance(kinds, list) and "full_attention" in kinds:
        return kinds.index("full_attention") + 1
    return read.size("sliding_window_pattern", traits.full_every)


def _given(config: Config, traits: Traits) -> bool:
    return config.get("head_dim") is not None or traits.head_dim is not None


def _divided(hidden: int, heads: int, name: str) -> int:
    if heads == 0:
        raise RequestInvalid(f"config.json of {name}: num_attention_heads is 0")
    if hidden % heads:
        raise RequestInvalid(
            f"config.json of {name}: {heads} heads do not divide the hidden size {hidden}: "
            f"{hidden} / {heads} = {hidden / heads:.2f}",
            hint="correct one of the two, or state head_dim",
        )
    return hidden // heads


class _Reader:
    """Typed access to a configuration's fields, with messages that name them."""

    def __init__(self, config: Config, names: dict[str, str], model: str) -> None:
        self._config, self._names, self._model = config, names, model

    def size(self, key: str, default: int | None = None) -> int:
        """Return a non-negative whole number; `default` where it is absent or null."""
        key = self._names.get(key, key)
        value = self._config.get(key)
        if value is None:
            if default is None:
                raise RequestInvalid(
                    f"config.json of {self._model} has no {key}", hint="is it the config.json of a decoder model?"
                )
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise RequestInvalid(f"config.json of {self._model}: {key} is {str(value)[:60]!r}, not a whole number")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value; `default` where it is absent or null."""
        value = self._config.get(self._names.get(key, key))
        if value is None:
            return default
        if not isinstance(value, bool):
            raise RequestInvalid(f"config.json of {self._model}: {key} is {str(value)[:60]!r}, not true or false")
        return value

    def sizes(self, key: str) -> list[int]:
        """Return a list of layer numbers; empty where it is absent."""
        value = self._config.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise RequestInvalid(f"config.json of {self._model}: {key} is not a list of whole numbers")
        return value
