"""FSDP084: no_sync() on an FSDP2 model, which has none, or on an inner FSDP1 unit."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.sharding import base, chain
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP084",
    slug="no-sync-wrong-place",
    severity="error",
    fix="FSDP1: no_sync() of the root. FSDP2: set_requires_gradient_sync(False).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield no_sync calls on the wrong receiver."""
    for event in flow.trace.methods("no_sync"):
        if type_tested(event):
            continue
        kinds = flow.sharding.kinds(event.receiver, event)
        if kinds == {"fsdp2"}:
            yield flow.hit(event, "a module that fully_shard sharded has no no_sync()")
        elif kinds == {"fsdp1"} and _is_inner(flow, event):
            yield flow.hit(event, "no_sync() works on the root FSDP module alone")


def _is_inner(flow: Flow, event: Event) -> bool:
    """Tell whether the receiver is a part of a module that is wrapped as a whole."""
    wrapped = [target for shard in flow.sharding.shards for target in shard.targets]
    for obj in objects(event.receiver):
        links = [link for link in chain(obj) if link is not base(obj)]
        if any(target is link for target in wrapped for link in links):
            return True
    return False
