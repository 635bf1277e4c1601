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
    """Yield the making of a sharded meta model that runs before anything has materialised it."""
    seen: set[int] = set()
    for event in forwards(flow.sharding):
        for obj in objects(event.callee):
            model = base(obj)
            meta = made_on_meta(model) if id(model) not in seen else None
            if meta is None:
                continue
            seen.add(id(model))
            shards = [s.event for s in flow.sharding.shards if flow.sharding.touches(s, model) and s.kind == "fsdp2"]
            if any(flow.trace.before(s, event) for s in shards) and not materialised(
                flow.trace, flow.shapes, model, event
            ):
                name = model.label or "the model"
                message = (
                    f"{name} is on the meta device, and nothing gives it storage before it runs (line {event.line})"
                )
                yield flow.hit(meta, message).beside(event, "runs here")
