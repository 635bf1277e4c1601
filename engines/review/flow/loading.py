"""Loading: where weights come from, and into what they go."""

from __future__ import annotations

from collections.abc import Iterator

from engines.review.flow.knowing import objects, origins
from engines.review.flow.sharding import Sharding
from engines.review.flow.trace import Event, Trace
from engines.review.flow.training import type_tested
from engines.review.flow.values import Obj, Value

READERS = (
    "torch.load",
    "torch.hub.load_state_dict_from_url",
    "torch.utils.model_zoo.load_url",
    "safetensors.torch.load_file",
    "safetensors.torch.load",
)
"""Callables that return plain tensors, whole."""
_DISTRIBUTING = ("distribute_tensor", "from_local", "get_model_state_dict", "get_state_dict", "distribute_module")


def loads_into_sharded(sharding: Sharding, trace: Trace) -> Iterator[Event]:
    """Yield `load_state_dict` on modules that fully_shard has certainly sharded by then."""
    for event in trace.methods("load_state_dict"):
        if sharding.kinds(event.receiver, event) != {"fsdp2"} or type_tested(event):
            continue
        shards = [s.event for s in sharding.shards if sharding.touches(s, event.receiver)]
        if any(trace.ordered(shard, event) and trace.before(shard, event) for shard in shards):
            yield event


def loaded_plain(state: Value | None) -> str:
    """Return the callable that read a state dict as plain tensors, "" where that is not so.

    A file that differs by rank holds that rank's own shards.
    """
    reader = ""
    for source in origins(state):
        if not isinstance(source, Obj):
            continue
        if source.qual.rpartition(".")[2] in _DISTRIBUTING or source.rank in ("global", "local"):
            return ""
        if source.made is not None and source.made.method == "state_dict":
            return reader or _of_whole_model(source.made)
        if source.qual in READERS or source.qual == "safetensors.safe_open":
            reader = reader or source.qual
    return reader


def _of_whole_model(made: Event) -> str:
    """Return the call that loaded the model whose state_dict() this is, "" where it may be sharded."""
    for obj in objects(made.receiver):
        if obj.op == "call" and obj.qual.endswith(".from_pretrained") and obj.inner is None:
            return obj.qual
    return ""
