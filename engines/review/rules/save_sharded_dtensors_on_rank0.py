"""FSDP041: torch.save (or safetensors) of an FSDP2 state_dict() on one rank writes that rank's shards alone.

Per-rank files, written by every rank, are legal.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import origins
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP041",
    slug="save-sharded-dtensors-on-rank0",
    severity="error",
    fix="get_model_state_dict with full_state_dict and cpu_offload on all ranks, or torch.distributed.checkpoint.save.",
)

_GATHERS = ("full_tensor", "get_model_state_dict", "get_state_dict")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield saves under a rank condition whose value is a plain state_dict() of an FSDP2 model."""
    for event in flow.trace.calls("torch.save", "safetensors.torch.save_file", "safetensors.torch.save"):
        if any(guard.divergent for guard in event.guards) and not type_tested(event):
            source = _state_dict_call(event.args[0] if event.args else event.kwargs.get("obj"))
            if source is not None and flow.sharding.kinds(source.receiver, source) == {"fsdp2"}:
                yield flow.hit(event, "the file holds this rank's shards (DTensors); those of the other ranks are lost")


def _state_dict_call(saved: Value | None) -> Event | None:
    found = None
    for source in origins(saved):
        made = source.made if isinstance(source, Obj) else None
        if made is None:
            continue
        if made.method in _GATHERS or made.qual.rpartition(".")[2] in _GATHERS:
            return None
        if made.method == "state_dict" and found is None:
            found = made
    return found
