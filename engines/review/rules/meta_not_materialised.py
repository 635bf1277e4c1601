"""FSDP100: a model from the meta device runs before anything gave it storage."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.meta import made_on_meta, materialised
from engines.review.flow.sharding import base
from engines.review.flow.training import forwards
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP100",
    slug="meta-not-materialised",
    severity="error",
    fix="model.to_empty(device=...) after the wrap, then initialise or load.",
    torch=">=2.4",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first forward of a sharded meta model that nothing has materialised."""
    seen: set[int] = set()
    for event in forwards(flow.sharding):
        for obj in objects(event.callee):
            model = base(obj)
            if id(model) in seen or not made_on_meta(model):
                continue
            seen.add(id(model))
            shards = [s.event for s in flow.sharding.shards if flow.sharding.touches(s, model) and s.kind == "fsdp2"]
            if any(flow.trace.before(s, event) for s in shards) and not materialised(flow.trace, model, event):
                yield flow.hit(event, f"{model.label or 'the model'} is still on the meta device: it has no storage")
