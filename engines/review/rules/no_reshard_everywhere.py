"""FSDP029: blocks keep their parameters after forward: the whole model is unsharded (ZeRO-2)."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects
from engines.review.flow.names import FULLY_SHARD
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP029",
    slug="no-reshard-everywhere",
    severity="advice",
    fix="reshard_after_forward=True for blocks, unless memory allows it or pipeline stages need it.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield per-block calls with a literal False."""
    for event in flow.trace.calls(FULLY_SHARD):
        blocks = any(obj.op in ("elem", "descendant") for obj in objects(event.arg(0, "module")))
        if blocks and constant(event.kwargs.get("reshard_after_forward")) is False and not flow.mentions("pp_enabled"):
            yield flow.hit(
                event, "all blocks stay unsharded from forward to backward", argument="reshard_after_forward"
            )
