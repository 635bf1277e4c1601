"""FSDP112: the whole model is compiled, before or after the wrap (right either way)."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.names import COMPILE
from engines.review.flow.sharding import base
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP112",
    slug="compile-order",
    severity="advice",
    fix="Compile each block, then fully_shard it: fewer graph breaks, clean keys.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield torch.compile on a module that is sharded as a root."""
    roots = {
        id(t) for s in flow.sharding.shards if s.kind == "fsdp2" for t in s.targets if t.op in ("param", "new", "call")
    }
    for event in flow.trace.calls(COMPILE):
        if any(id(base(obj)) in roots for obj in objects(event.arg(0, "model"))):
            yield flow.hit(event, "the model is compiled as a whole: FSDP's hooks break the graph")
            return
