"""FSDP031: arguments of FSDP1 that exclude each other.

One of the two may be put into a dictionary under a condition; they then meet on the path where it holds.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import MAX_OPTIONS, constant, options
from engines.review.flow.names import FSDP1
from engines.review.flow.trace import Event, Guard, compatible
from engines.review.flow.values import Const, Map, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP031", slug="fsdp1-exclusive-args", severity="error", fix="Keep one of the two.", torch=">=2.2")

_PAIRS = (("process_group", "device_mesh"), ("ignored_modules", "ignored_states"))


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps that are given both of a pair."""
    for event in flow.trace.calls(FSDP1):
        given = {name for name, value in event.kwargs.items() if not _may_be_none(value)}
        for first, second in _PAIRS:
            if first in given and second in given and _meet(flow, event, first, second):
                yield flow.hit(event, f"{first} and {second} exclude each other", argument=second)


def _may_be_none(value: Value) -> bool:
    """Tell whether a value may be None; of one that may be many things, not all are kept."""
    known = options(value)
    return len(known) >= MAX_OPTIONS or any(isinstance(option, Const) and option.value is None for option in known)


def _meet(flow: Flow, event: Event, first: str, second: str) -> bool:
    """Tell whether some path certainly gives a wrap both: one of them is there wherever the other is."""
    rest = event.kwargs.get("**")
    if rest is None:
        return True
    ways: list[list[tuple[Guard, ...]]] = []
    for name in (first, second):
        if event.keyword(name) is not None:
            ways.append([()])
        elif isinstance(rest, Map) and rest.by_path and name in rest.items:
            stores = _stores(flow, rest, name)
            ways.append([store.guards for store in stores if compatible(store, event)] if stores else [()])
        else:
            return False
    return any(_implies(one, other) or _implies(other, one) for one in ways[0] for other in ways[1])


def _stores(flow: Flow, given: Map, name: str) -> list[Event]:
    """Return what puts an entry into a dictionary after it was made."""
    written = [event for event in flow.trace.kind("setitem") if constant(event.args[0]) == name]
    updates = [event for event in flow.trace.methods("update") if name in event.kwargs or _holds(event, name)]
    return [event for event in (*written, *updates) if event.receiver is given]


def _holds(event: Event, name: str) -> bool:
    return any(isinstance(argument, Map) and name in argument.items for argument in event.args)


def _implies(guards: tuple[Guard, ...], others: tuple[Guard, ...]) -> bool:
    """Tell whether conditions hold wherever others do: they are among them."""
    return {(guard.branch, guard.arm) for guard in guards} <= {(guard.branch, guard.arm) for guard in others}
