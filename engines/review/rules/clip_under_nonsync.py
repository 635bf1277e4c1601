"""FSDP068: clip or step on every micro-batch although gradients are synced on the last one only."""

from collections.abc import Iterator

from engines.review.flow.names import NN_CLIP
from engines.review.flow.training import in_same_loop, loop_of, steps, within_lines
from engines.review.flow.values import Const
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP068",
    slug="clip-under-nonsync",
    severity="warning",
    fix="Clip and step only after the micro-batch that syncs.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield unconditional clips and steps in a loop whose sync flag varies."""
    for sync in flow.trace.methods("set_requires_gradient_sync"):
        flag = sync.arg(0, "requires_gradient_sync")
        if flag is None or isinstance(flag, Const) or loop_of(sync) is None:
            continue
        loop = loop_of(sync)
        for event in (*flow.trace.calls(NN_CLIP), *steps(flow.trace)):
            unconditional = not any(within_lines(guard.node, loop) for guard in event.guards)
            if in_same_loop(sync, event) and loop_of(event) is loop and unconditional:
                yield flow.hit(event, "it also runs after micro-batches whose gradients were not synced")
                break
