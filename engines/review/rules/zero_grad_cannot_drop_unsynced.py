"""FSDP083: zero_grad() does not see the gradients of micro-batches that were not synced."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.ranks import implied, strip_not
from engines.review.flow.trace import Event, condition_key
from engines.review.flow.training import backwards, in_same_loop, names_optimizer
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP083",
    slug="zero-grad-cannot-drop-unsynced",
    severity="warning",
    fix="Run a synced backward first, or reset_iter_state() (2.12+).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield zero_grad calls where the sync is off, or on a path that leaves the loop's body early."""
    syncs = list(flow.trace.methods("set_requires_gradient_sync"))
    if not syncs or all(constant(event.arg(0, "requires_gradient_sync")) is True for event in syncs):
        return
    jumps = [event for event in flow.trace.kind("jump") if event.name == "continue"]
    for event in flow.trace.methods("zero_grad"):
        if not names_optimizer(event.receiver) or not any(in_same_loop(sync, event) for sync in syncs):
            continue
        drops = any(jump.guards == event.guards and jump.seq > event.seq for jump in jumps)
        drops = drops or any(_sync_is_off(sync.arg(0, "requires_gradient_sync"), sync, event) for sync in syncs)
        if drops and any(in_same_loop(event, b) for b in backwards(flow.trace)):
            yield flow.hit(
                event, "gradients accumulated without sync are not visible to it: they leak into the next step"
            )


def _sync_is_off(flag: Value | None, sync: Event, event: Event) -> bool:
    """Tell whether an event after the choice of the flag is under a condition that says that the flag is false."""
    if not isinstance(flag, Obj) or sync.seq > event.seq or sync.run != event.run:
        return False
    plain, odd = strip_not(flag)
    key = condition_key(plain)
    for guard in event.guards:
        for test, holds in implied(strip_not(guard.test)[0], guard.arm == 0):
            if (test is plain or (key is not None and condition_key(test) == key)) and holds == odd:
                return True
    return False
