"""FSDP050: load_state_dict(strict=False) whose answer nobody looks at."""

from collections.abc import Iterator

from engines.review.flow.bindings import is_unread
from engines.review.flow.knowing import constant, origins
from engines.review.flow.trace import Event
from engines.review.flow.training import same_object
from engines.review.flow.values import Map, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP050",
    slug="strict-false-load",
    severity="warning",
    fix="Check the missing and unexpected keys that it returns.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield lenient loads into sharded models (or before the wrap) whose result is dropped."""
    if not flow.sharding.shards:
        return
    for event in flow.trace.methods("load_state_dict"):
        if is_unread(event) and constant(event.kwargs.get("strict")) is False:
            concerned = any(flow.sharding.touches(shard, event.receiver) for shard in flow.sharding.shards)
            if _fitted(event):
                continue
            if concerned or flow.sharding.kinds(event.receiver, event):
                yield flow.hit(
                    event, "keys that do not match (a wrapper's prefix) are skipped without a word", argument="strict"
                )


def _fitted(event: Event) -> bool:
    """Tell whether each tensor was laid out like the model's own of that name: a name that the model has not fails."""
    given = event.arg(0, "state_dict")
    if not isinstance(given, Map) or given.rest is None:
        return False
    for source in origins(given.rest):
        made = source.made if isinstance(source, Obj) else None
        if made is not None and made.method == "state_dict" and same_object(made.receiver, event.receiver):
            return True
    return False
