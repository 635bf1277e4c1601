"""FSDP045: weights on rank 0 alone, and no broadcast asked for; or a broadcast without full_state_dict."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, is_true, options
from engines.review.flow.names import STATE
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Map, Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP045",
    slug="rank0-state-without-broadcast",
    severity="error",
    fix="StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)",
    torch=">=2.4",
)

_NEVER = 99
"""Position of an argument that is given by name alone."""
_SETTERS = {
    f"{STATE}.set_model_state_dict": (1, "model_state_dict"),
    f"{STATE}.set_optimizer_state_dict": (2, "optim_state_dict"),
    f"{STATE}.set_state_dict": (_NEVER, "model_state_dict"),
}


def check(flow: Flow) -> Iterator[Hit]:
    """Yield loads in which the other ranks hold nothing."""
    for event in flow.trace.calls(*_SETTERS):
        made = _options(event)
        if made is not None and is_true(_broadcast(made)):
            full = made.arg(0, "full_state_dict")
            if (full is None and "**" not in made.kwargs) or constant(full) is False:
                yield flow.hit(made, "broadcast_from_rank0 needs full_state_dict=True")
            continue
        if made is None and any(name in event.kwargs for name in ("options", "**")):
            continue
        if made is not None and ("**" in made.kwargs or not _off(_broadcast(made))):
            continue
        if _empty_elsewhere(event.arg(*_SETTERS[event.qual])):
            yield flow.hit(event, "only rank 0 has the weights and they are not broadcast: the other ranks fail")


def _options(event: Event) -> Event | None:
    for value in (*event.args, *event.kwargs.values()):
        for option in options(value):
            if isinstance(option, Obj) and option.qual == f"{STATE}.StateDictOptions":
                return option.made
    return None


def _broadcast(made: Event) -> Value | None:
    """Return the option as it was given, or as it was set afterwards."""
    later = made.result.attrs.get("broadcast_from_rank0") if isinstance(made.result, Obj) else None
    return later if later is not None else made.kwargs.get("broadcast_from_rank0")


def _off(value: Value | None) -> bool:
    return value is None or (isinstance(value, Const) and value.value is False)


def _empty_elsewhere(state: Value | None) -> bool:
    """Tell whether a state dict is read on one path, under a rank condition, and empty on the other."""
    found = options(state)
    empty = [
        o
        for o in found
        if (isinstance(o, Const) and o.value is None) or (isinstance(o, Map) and not o.items and not o.more)
    ]
    made = [made for o in found if isinstance(o, Obj) and (made := _read(o)) is not None]
    return bool(empty) and any(guard.divergent for event in made for guard in event.guards)


def _read(state: Obj) -> Event | None:
    """Return the call that a state dict, or the file of which it is an entry, comes from."""
    if state.op == "item" and state.made is None and state.parent is not None:
        return state.parent.made
    return state.made
