"""The structured fields of a Request as values, and how they meet what the text says."""

from dataclasses import fields, replace

from contracts.recipe import Recipe
from contracts.request import Hardware, Request
from engines.intake.facts import Conflict, Reading, Values
from engines.intake.names import model_size_b


def _given(part: Recipe | Hardware, name: str) -> bool:
    """Whether a field was given rather than filled in by its default.

    A request that travelled as JSON has every field set; there, a value that equals its
    default says nothing.
    """
    if name not in part.model_fields_set:
        return False
    everything_set = part.model_fields_set == set(type(part).model_fields)
    return not everything_set or getattr(part, name) != type(part).model_fields[name].default


def structured_values(request: Request, model_params: int | None) -> Values:
    """Read the structured fields.

    Args:
        request: The request.
        model_params: Parameters counted in the model folder, where it was read.

    Returns:
        What the fields say; None where a field was left out.
    """
    model, hardware, recipe = request.model, request.hardware, request.recipe
    named = model.name if model and model.name else None
    params_b = model_params / 1e9 if model_params else model.params_b if model and model.params_b else None
    on_gpus = hardware.device == "cuda"
    gpus = hardware.gpus if hardware.gpus is not None else hardware.ranks
    return Values(
        model=named or (model.path if model else None),
        params_b=params_b if params_b is not None else model_size_b(named) if named else None,
        gpus=gpus if on_gpus else hardware.gpus,
        nodes=hardware.nodes if _given(hardware, "nodes") else None,
        gpu_type=hardware.gpu_type,
        gpu_mem_gb=hardware.gpu_mem_gb,
        seq_len=recipe.seq_len if _given(recipe, "seq_len") else None,
        batch=recipe.micro_batch if _given(recipe, "micro_batch") else None,
        method=request.method,
        optimizer=request.optimizer,
    )


_COMPARED = ("params_b", "gpus", "nodes", "gpu_mem_gb", "seq_len", "batch", "method")
_SIZE_TOLERANCE = 0.1
"""Relative: an "8B" has 8.03e9 parameters, and "7B" is said of 6.7 to 7.6."""


def _differ(key: str, ours: object, text: object) -> bool:
    if key == "params_b" and isinstance(ours, int | float) and isinstance(text, int | float):
        return abs(ours - text) > _SIZE_TOLERANCE * max(ours, text)
    return ours != text


def merge(given: Values, reading: Reading) -> tuple[Values, tuple[Conflict, ...]]:
    """Join the structured values with those of the text; the structured ones win.

    Args:
        given: The structured values.
        reading: What the text says.

    Returns:
        The joined values, and every contradiction.
    """
    said = reading.values
    conflicts = [conflict for conflict in reading.conflicts if getattr(given, conflict.key) is None]
    for key in _COMPARED:
        ours, text = getattr(given, key), getattr(said, key)
        if key == "batch" and said.global_batch:
            continue
        if ours is not None and text is not None and _differ(key, ours, text):
            conflicts.append(Conflict(key, f"{text}", f"{ours}", kept=f"{ours}"))
    stated = {field.name: getattr(given, field.name) for field in fields(given) if field.name != "global_batch"}
    joined = replace(said, **{key: value for key, value in stated.items() if value is not None})
    if given.batch is not None:
        joined = replace(joined, global_batch=False)
    return joined, tuple(conflicts)
