"""FSDP050: load_state_dict(strict=False) whose answer nobody looks at."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
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
        if event.discarded and constant(event.kwargs.get("strict")) is False:
            concerned = any(flow.sharding.touches(shard, event.receiver) for shard in flow.sharding.shards)
            if concerned or flow.sharding.kinds(event.receiver, event):
                yield flow.hit(event, "keys that do not match (a wrapper's prefix) are skipped without a word")
