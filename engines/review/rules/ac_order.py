"""FSDP110: activation checkpointing outside the FSDP2 unit instead of inside (right either way)."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.sharding import base, within
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP110",
    slug="ac-order",
    severity="advice",
    fix="FSDP2: checkpointing, then compile, then fully_shard.",
)

_WRAPPER = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"


def check(flow: Flow) -> Iterator[Hit]:
    """Yield checkpoint wrappers that are applied after fully_shard on the same model."""
    events = [
        *((event, event.arg(0, "module")) for event in flow.trace.calls(f"{_WRAPPER}.checkpoint_wrapper")),
        *((event, event.arg(0, "model")) for event in flow.trace.calls(f"{_WRAPPER}.apply_activation_checkpointing")),
    ]
    for event, value in events:
        for shard in flow.sharding.shards:
            if shard.kind != "fsdp2" or not flow.trace.before(shard.event, event):
                continue
            if any(within(base(obj), t) or within(t, base(obj)) for obj in objects(value) for t in shard.targets):
                yield flow.hit(
                    event, "checkpointing wraps modules that are sharded already: filters on classes stop matching"
                )
                return
