"""LT303: HYBRID_SHARD without groups or policy, or two ways of naming the groups at once."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, is_given
from engines.review.flow.lightning import strategies
from engines.review.flow.trace import Event
from engines.review.flow.values import Ext
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="LT303",
    slug="lightning-hybrid-args",
    severity="error",
    fix="device_mesh=(replicas, shards)",
    torch=">=2.1",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield strategies whose arguments contradict each other."""
    for event in strategies(flow.trace):
        if "**" in event.kwargs:
            continue
        group, mesh = is_given(event.kwargs.get("process_group")), is_given(event.kwargs.get("device_mesh"))
        if group and mesh:
            yield flow.hit(event, "process_group and device_mesh exclude each other")
        elif _is_hybrid(event) and not (group or mesh or is_given(event.kwargs.get("auto_wrap_policy"))):
            yield flow.hit(event, "HYBRID_SHARD needs auto_wrap_policy, process_group or device_mesh")


def _is_hybrid(event: Event) -> bool:
    strategy = event.kwargs.get("sharding_strategy")
    name = strategy.name if isinstance(strategy, Ext) else constant(strategy)
    return isinstance(name, str) and "HYBRID_SHARD" in name
