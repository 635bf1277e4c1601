"""What the structured request of a study states, as values of the axes that a question can weigh."""

from pathlib import Path
from typing import Any

from contracts.request import Request
from engines.study.numbers import short_name
from knowledge.devices import find_device
from knowledge.links import find_link
from knowledge.shapes import find_shape

_PLAIN = ("seq_len", "micro_batch", "grad_accum")


def stated_values(request: Request) -> dict[str, Any]:
    """Return by axis what the request's fields give; axes that they leave open are not in it."""
    given = request.recipe.model_fields_set
    recipe = request.recipe
    found: dict[str, Any] = {name: getattr(recipe, name) for name in _PLAIN if name in given}
    found |= _machine(request)
    if "activation_checkpointing" in given:
        found["ac"] = "ac_full" if recipe.activation_checkpointing == "full" else "no_ac"
    if "cpu_offload" in given:
        found["offload"] = "cpu_offload" if recipe.cpu_offload else "no_offload"
    if "param_dtype" in given:
        found["precision"] = recipe.param_dtype
    if "reduce_dtype" in given:
        found["reduction"] = f"reduce_{recipe.reduce_dtype}"
    if "dp_replicate" in given and recipe.dp_replicate > 1:
        found["sharding"] = f"hsdp_{recipe.dp_replicate}"
    elif given & {"dp_replicate", "reshard_after_forward"}:
        found["sharding"] = "full_shard" if recipe.reshard_after_forward else "no_reshard"
    if request.method is not None:
        found["method"] = request.method
    return found


def _machine(request: Request) -> dict[str, Any]:
    hardware, model = request.hardware, request.model
    found: dict[str, Any] = {}
    if hardware.ranks or hardware.gpus:
        found["gpus"] = hardware.ranks or hardware.gpus
    if hardware.gpu_type:
        device = find_device(hardware.gpu_type)
        found["gpu"] = short_name(device.name) if device else hardware.gpu_type
    if hardware.network:
        link = find_link(hardware.network)
        found["network"] = link.name if link else hardware.network
    if model is not None and model.path is not None:
        found["model"] = Path(model.path).name
    elif model is not None and model.name is not None:
        shape = find_shape(model.name)
        found["model"] = shape.name if shape else model.name
    return found
