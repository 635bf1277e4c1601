"""A request in free text, completed with the values that the need gate read out of it."""

from typing import Any, get_args

from pydantic import ValidationError

from contracts.need import Need
from contracts.request import PlannedOptimizer, Request
from engines.intake.invalid import request_invalid


def complete_request(request: Request, need: Need) -> Request:
    """Return the request with what its text says in the fields that were left out.

    Structured fields stay as they are; `model.name` is the model as it was named.

    Args:
        request: The request as given.
        need: Its Need, with the values that were read out of the text.

    Raises:
        RequestInvalid: The text states a value that no request may have.
    """
    said, hardware, recipe = need.extracted, request.hardware, request.recipe
    machines: dict[str, Any] = {"gpu_type": said.gpu_type, "gpu_mem_gb": said.gpu_mem_gb}
    if hardware.device == "cuda" and hardware.ranks is None:
        machines["gpus"] = said.gpus
    machines = {name: value for name, value in machines.items() if value and getattr(hardware, name) is None}
    if said.nodes and "nodes" not in hardware.model_fields_set:
        machines["nodes"] = said.nodes
    sizes = {"seq_len": said.seq_len, "micro_batch": said.batch}
    sizes = {name: value for name, value in sizes.items() if value and name not in recipe.model_fields_set}
    body = request.model_dump(mode="json", exclude_unset=True)
    if machines:
        body["hardware"] = body.get("hardware", {}) | machines
    if sizes:
        body["recipe"] = body.get("recipe", {}) | sizes
    if request.model is None and said.model:
        body["model"] = {"name": said.model} | ({"params_b": said.params_b} if said.params_b else {})
    if request.method is None and said.method:
        body["method"] = said.method
    if request.optimizer is None and said.optimizer in get_args(PlannedOptimizer):
        body["optimizer"] = said.optimizer
    body["language"] = need.language
    try:
        return Request.model_validate(body)
    except ValidationError as error:
        raise request_invalid(error, "read out of the text") from None
