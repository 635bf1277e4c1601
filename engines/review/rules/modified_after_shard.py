"""FSDP033: modules are added or replaced after the wrap: the new parameters are not sharded."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP033",
    slug="modified-after-shard",
    severity="warning",
    fix="Change the model first, then shard it.",
)

_CALLS = ("peft.get_peft_model", "peft.inject_adapter_in_model")
_METHODS = ("resize_token_embeddings", "add_adapter")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield changes of a model that is certainly sharded by then."""
    changes: list[tuple[Event, object, str]] = [
        (event, event.arg(0, "model"), event.qual.rpartition(".")[2]) for event in flow.trace.calls(*_CALLS)
    ]
    changes += [(event, event.receiver, event.method) for event in flow.trace.methods(*_METHODS)]
    changes += [
        (event, event.receiver, f"a new {event.name}")
        for event in flow.trace.kind("setattr")
        if any(
            isinstance(v, Obj) and v.qual.startswith("torch.nn.") and v.qual != "torch.nn.Parameter" for v in event.args
        )
    ]
    changes += [(event, event.receiver, "tying") for event in flow.trace.kind("setattr") if _ties(event)]
    for event, value, what in changes:
        for obj in objects(value) if isinstance(value, Obj) else ():
            shards = [s.event for s in flow.sharding.shards if s.kind == "fsdp2" and flow.sharding.touches(s, obj)]
            if any(flow.trace.ordered(s, event) and flow.trace.before(s, event) for s in shards):
                yield flow.hit(event, f"{what} comes after the wrap: its parameters are outside every unit")
                break


def _ties(event: Event) -> bool:
    """Tell whether the weight of one module is given to another."""
    value = event.args[0]
    if (
        event.guards
        or event.name != "weight"
        or not isinstance(value, Obj)
        or value.op != "attr"
        or value.parent is None
    ):
        return False
    return value.label.endswith(".weight") and value.parent is not event.receiver
