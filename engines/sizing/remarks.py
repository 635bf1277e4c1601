"""What a plan remarks on a request: the defaults that it rests on, and what is unusual about it."""

from contracts.request import Language, Request
from engines.sizing.selection import Selection
from engines.sizing.texts import say

DEFAULT_LORA_RANK = 16
"""Rank of the adapters where a request for LoRA states none."""


def recipe_assumptions(request: Request, chosen: Selection, language: Language) -> list[str]:
    """Name the defaults on which the memory depends most, where the request left them out."""
    stated = request.recipe.model_fields_set
    said = []
    for name in ("seq_len", "micro_batch"):
        default, value = getattr(request.recipe, name), getattr(chosen.recipe, name)
        if name not in stated:
            said.append(say("default" if value == default else "chosen", language, name=name, value=value))
    if request.method is None:
        said.append(say("full_method", language))
    if request.method in ("lora", "qlora"):
        said.append(say("adapter_rank", language, rank=DEFAULT_LORA_RANK))
    return said


def recipe_warnings(request: Request, chosen: Selection, language: Language) -> tuple[str, ...]:
    """Return what is unusual but allowed, and what the built-in recipe does not do."""
    hardware, ranks, said = request.hardware, chosen.setup.ranks, []
    if request.method in ("lora", "qlora"):
        said.append("other_method")
    if request.optimizer not in (None, "adamw"):
        said.append("other_optimizer")
    if ranks == 1:
        said.append("one_rank")
    if hardware.device == "cuda" and hardware.gpus and ranks > hardware.gpus:
        said.append("crowded")
    if chosen.recipe.cpu_offload:
        said.append("offloaded")
        said += ["offloaded_host"] if chosen.memory.host_gib_per_node else []
        said += ["offloaded_alone"] if ranks == 1 else []
    values: dict[str, object] = {
        "method": request.method,
        "optimizer": request.optimizer,
        "ranks": ranks,
        "gpus": hardware.gpus,
        "host": chosen.memory.host_gib_per_node,
    }
    return tuple(say(key, language, **values) for key in said)
