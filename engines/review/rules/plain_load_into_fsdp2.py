"""FSDP043: load_state_dict of plain tensors into a model that fully_shard has sharded."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.loading import loaded_plain, loads_into_sharded
from engines.review.flow.training import type_tested
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP043",
    slug="plain-load-into-fsdp2",
    severity="error",
    fix="set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True)), or load before the wrap.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield loads of a full checkpoint into sharded parameters."""
    for event in loads_into_sharded(flow.sharding, flow.trace):
        if constant(event.kwargs.get("assign")) is not None and constant(event.kwargs.get("assign")) is not False:
            continue
        reader = loaded_plain(event.arg(0, "state_dict"))
        if reader:
            yield flow.hit(event, f"plain tensors from {reader} are loaded into DTensor parameters: they do not mix")
    for event in flow.trace.calls("safetensors.torch.load_model"):
        shards = [s.event for s in flow.sharding.shards if flow.sharding.touches(s, event.arg(0, "model"))]
        sharded = any(flow.trace.before(shard, event) for shard in shards)
        if sharded and flow.sharding.is_sharded(event.arg(0, "model"), event, "fsdp2") and not type_tested(event):
            yield flow.hit(event, "load_model copies plain tensors into DTensor parameters: they do not mix")
