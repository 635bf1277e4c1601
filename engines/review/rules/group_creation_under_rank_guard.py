"""FSDP027: a group, a mesh or a barrier that only some ranks reach."""

from collections.abc import Iterator

from engines.review.flow.knowing import is_true
from engines.review.flow.names import DISTRIBUTED, INIT_MESH
from engines.review.flow.ranks import opposite
from engines.review.flow.trace import Event, Guard, in_caller
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP027",
    slug="group-creation-under-rank-guard",
    severity="error",
    fix="Call it on every rank.",
)

_CALLS = (INIT_MESH, f"{DISTRIBUTED}.new_group", f"{DISTRIBUTED}.new_subgroups", f"{DISTRIBUTED}.barrier")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield group creation and barriers under a condition that parts the ranks, one for each condition."""
    reported: set[int] = set()
    events = sorted(flow.trace.calls(*_CALLS), key=lambda event: event.seq)
    for event in events:
        guard = next((g for g in event.guards if g.divergent and g.kind != "except"), None)
        if guard is None or guard.branch in reported or _allowed(flow, event) or _joined(event, guard, events):
            continue
        reported.add(guard.branch)
        name = event.qual.rpartition(".")[2]
        message = f"{name} involves every rank, but only some reach it: the job hangs"
        if in_caller(event, guard):
            yield at(guard.module, guard.node, f"leads to {message}").beside(event, f"{name} is called here")
        else:
            yield flow.hit(event, message).beside(guard, "the condition")


def _allowed(flow: Flow, event: Event) -> bool:
    return flow.single_process(event) or (
        is_true(event.kwargs.get("use_local_synchronization"))
        or "group" in event.kwargs
        or (event.qual.endswith("barrier") and bool(event.args))
    )


def _joined(event: Event, guard: Guard, events: list[Event]) -> bool:
    """The other ranks may wait elsewhere: a barrier under any other rank condition, or in the other arm."""
    for other in events:
        if other is event or other.qual != event.qual:
            continue
        for theirs in other.guards:
            if theirs.branch == guard.branch and theirs.arm != guard.arm:
                return True
            if theirs.divergent and theirs.branch != guard.branch and event.qual.endswith("barrier"):
                return True
            if other.run == event.run and opposite(guard.test, guard.arm == 0, theirs.test, theirs.arm == 0):
                return True
    return False
