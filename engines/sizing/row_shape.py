"""The model of a run's record: by its sizes, by a config.json in it, or by a name that is known."""

from itertools import product
from typing import Any

from pydantic import ValidationError

from contracts.errors import CannotBeKnown, RequestInvalid
from engines.sizing.families import FAMILIES
from engines.sizing.hf_config import from_config
from engines.sizing.row_fields import Json, truth
from engines.sizing.shape import ModelShape
from knowledge.shapes import find_shape

SIZES = ("layers", "hidden", "heads", "ffn", "vocab")
"""Fields without which a decoder has no size."""

_OPTIONAL = ("kv_heads", "head_dim")

_QUIRKS: dict[str, tuple[Json, ...]] = {
    "tied": ({}, {"tied": True}),
    "qk_norm": ({}, {"qk_norm": True}),
    "qkv_bias": ({}, {"qkv_bias": True}),
    "out_bias": ({}, {"out_bias": True}),
    "norms_per_block": ({}, {"norms_per_block": 4}),
    "gated": ({}, {"gated": False}),
    "norm": ({}, {"norm": "layer"}),
}
"""What tells families apart by their number of parameters; the first of each is a Llama's."""

EXACT = 1e-6
"""Relative difference below which a number of parameters is the same."""

CLOSE = 0.05
"""Relative difference above which sizes and parameters contradict each other."""


def shape_of_row(row: Json) -> tuple[ModelShape, tuple[str, ...]]:
    """Return the model of a row, and what was assumed for it.

    Raises:
        CannotBeKnown: The row neither states the sizes nor names a known model.
        RequestInvalid: The sizes contradict each other.
    """
    if isinstance(row.get("config"), dict):
        return from_config(row["config"], str(row.get("model") or "model")), ()
    missing = [field for field in SIZES if row.get(field) is None]
    if missing:
        named = find_shape(str(row.get("model") or ""))
        if named is None:
            raise CannotBeKnown(f"not given: {', '.join(missing)}", code="sizes_missing")
        return from_config(named.config, named.name), (f"sizes of {named.name} by its name ({named.source})",)
    return _by_sizes(row)


def _by_sizes(row: Json) -> tuple[ModelShape, tuple[str, ...]]:
    fields: dict[str, Any] = {name: row[name] for name in (*SIZES, *_OPTIONAL) if row.get(name) is not None}
    heads, hidden = fields["heads"], fields["hidden"]
    fields.setdefault("kv_heads", heads)
    if "head_dim" not in fields:
        if not isinstance(heads, int) or not isinstance(hidden, int) or heads < 1 or hidden % heads:
            raise RequestInvalid(f"row {row.get('id')}: {heads} heads do not divide the hidden size {hidden}")
        fields["head_dim"] = hidden // heads
    if row.get("tied") is not None:
        fields["tied"] = truth(row["tied"])
    if experts := _experts(row):
        fields["experts"] = experts
    fields["name"] = str(row.get("model") or "model")
    stated = row.get("params")
    family = row.get("family") or row.get("model_type")
    if isinstance(family, str) and family.lower() in FAMILIES:
        traits = FAMILIES[family.lower()]
        biases = {"qkv_bias": traits.qkv_bias, "out_bias": traits.out_bias, "mlp_bias": traits.mlp_bias}
        return _built(row, fields | biases | traits.fixed), ()
    plain = _built(row, fields)
    if not isinstance(stated, int) or stated < 1 or _off(plain, stated) <= EXACT:
        return plain, ()
    return _by_params(row, fields, plain, stated)


def _by_params(row: Json, fields: dict[str, Any], plain: ModelShape, stated: int) -> tuple[ModelShape, tuple[str, ...]]:
    """Return the decoder of these sizes that has the stated number of parameters."""
    quirks = [options for name, options in _QUIRKS.items() if name not in fields]
    for choice in sorted(product(*quirks), key=lambda parts: sum(map(bool, parts))):
        changes = {name: value for part in choice for name, value in part.items()}
        if changes and _off(candidate := _built(row, fields | changes), stated) <= EXACT:
            told = ", ".join(f"{name} {value}" for name, value in changes.items())
            return candidate, (f"{told}: with these the sizes give the stated {stated} parameters",)
    if _off(plain, stated) > CLOSE:
        raise RequestInvalid(f"row {row.get('id')}: its sizes give {plain.params} parameters, but it states {stated}")
    return plain, (f"a Llama-type decoder of these sizes has {plain.params} parameters; {stated} are stated",)


def _off(shape: ModelShape, stated: int) -> float:
    return abs(shape.params - stated) / stated


def _experts(row: Json) -> Json | None:
    def first(*names: str) -> Any:
        return next((row[name] for name in names if row.get(name) is not None), None)

    count = first("experts", "num_experts", "n_experts", "num_local_experts", "n_routed_experts")
    if not isinstance(count, int) or count < 2:
        return None
    inner = first("expert_ffn", "moe_ffn", "moe_intermediate_size")
    chosen = first("experts_per_token", "num_experts_per_tok", "top_k", "topk")
    shared = first("shared_ffn", "shared_expert_intermediate_size") or 0
    return {"count": count, "per_token": chosen or 2, "ffn": inner or row["ffn"], "shared_ffn": shared}


def _built(row: Json, fields: dict[str, Any]) -> ModelShape:
    try:
        return ModelShape(**fields)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RequestInvalid(f"row {row.get('id')}: {place} {first['msg'].removeprefix('Value error, ')}") from None
