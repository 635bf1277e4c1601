"""FSDP014: auto_wrap_policy on a model in which parts are wrapped by hand already."""

from collections.abc import Iterator

from engines.review.flow.names import FSDP1
from engines.review.flow.sharding import within, wrappers
from engines.review.flow.trace import Event, compatible
from engines.review.flow.values import Const, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP014",
    slug="auto-wrap-over-wrapped",
    severity="error",
    fix="Wrap by policy or by hand, not both.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield automatic wraps around manual ones."""
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp1"]
    for shard in shards:
        policy = shard.event.kwargs.get("auto_wrap_policy")
        if policy is None or isinstance(policy, Const):
            continue
        for earlier in shards:
            inner = any(
                part is not whole and within(part, whole) for part in earlier.targets for whole in shard.targets
            )
            if inner and not earlier.event.discarded and flow.trace.before(earlier.event, shard.event):
                yield flow.hit(shard.event, f"the policy meets modules that line {earlier.event.line} has wrapped")
                break
        else:
            made = next((made for whole in shard.targets for made in _wrapped_in(flow, whole, shard.event)), None)
            if made is not None:
                yield flow.hit(shard.event, f"the policy meets modules that line {made.line} has wrapped")


def _wrapped_in(flow: Flow, whole: Obj, event: Event) -> Iterator[Event]:
    """Yield the wraps that the class of a module makes for its own parts."""
    for _, part in flow.shapes.parts(whole):
        for layer in wrappers(part):
            if layer.qual == FSDP1 and layer.made is not None and compatible(layer.made, event):
                yield layer.made
