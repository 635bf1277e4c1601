"""FSDP083: zero_grad() does not see the gradients of micro-batches that were not synced."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.training import backwards, in_same_loop, names_optimizer
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP083",
    slug="zero-grad-cannot-drop-unsynced",
    severity="warning",
    fix="Run a synced backward first, or reset_iter_state() (2.12+).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield zero_grad calls on a path that leaves the loop's body early while the sync may be off."""
    syncs = list(flow.trace.methods("set_requires_gradient_sync"))
    if not syncs or all(constant(event.arg(0, "requires_gradient_sync")) is True for event in syncs):
        return
    jumps = [event for event in flow.trace.kind("jump") if event.name == "continue"]
    for event in flow.trace.methods("zero_grad"):
        if not names_optimizer(event.receiver) or not any(in_same_loop(sync, event) for sync in syncs):
            continue
        drops = any(jump.guards == event.guards and jump.seq > event.seq for jump in jumps)
        if drops and any(in_same_loop(event, b) for b in backwards(flow.trace)):
            yield flow.hit(
                event, "gradients accumulated without sync are not visible to it: they leak into the next step"
            )
