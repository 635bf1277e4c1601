"""Freezing: where code switches gradients off or on, and for whose parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engines.review.flow.knowing import constant, objects, options
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event, Trace
from engines.review.flow.values import Const, Obj, Value

_FREEZES = re.compile(r"freeze_\w+$")
"""Methods of library models that switch gradients off for a part: freeze_feature_encoder, freeze_base_model."""
_PART = re.compile(r"\.(weight|bias)$")


class Switch(NamedTuple):
    """A place where gradients are switched off or on."""

    event: Event
    on: bool | None
    """None where it hangs on the parameter: `p.requires_grad = "lora" in name`."""
    owners: tuple[Obj, ...]
    """The modules whose parameters are switched."""
    each: bool
    """Whether it is done parameter by parameter, so that a condition chooses among them."""
    part: bool = False
    """Whether it is of one parameter or one part of the owner."""


def switches_of_gradients(trace: Trace) -> Iterator[Switch]:
    """Yield where gradients are switched, by method or by attribute.

    Args:
        trace: The events.
    """
    for event in trace.methods("requires_grad_"):
        given = event.arg(0, "requires_grad")
        on = True if given is None else _state(given)
        yield from _switch(event, on)
    for event in trace.kind("setattr"):
        if event.name == "requires_grad":
            yield from _switch(event, _state(event.args[0]))
    for name in [name for name in trace.by_method if _FREEZES.match(name)]:
        for event in trace.methods(name):
            if not event.args and not event.kwargs:
                yield Switch(event, False, objects(event.receiver), each=False, part=True)


def _state(value: Value) -> bool | str | None:
    known = constant(value)
    if isinstance(known, bool):
        return known
    return None if any(_depends(option) for option in options(value)) else "unknown"


def _depends(value: Value) -> bool:
    """Tell whether a value is the answer to a question, such as one about a parameter's name."""
    if isinstance(value, Const):
        return False
    if not isinstance(value, Obj):
        return False
    asked = value.made is not None and value.made.method in ("startswith", "endswith", "match", "search", "fullmatch")
    return asked or value.op in ("compare", "bool", "not") or value.qual in ("any", "all", "isinstance", "bool")


def _switch(event: Event, on: bool | str | None) -> Iterator[Switch]:
    if isinstance(on, str):
        return
    walked = parameter_owners(event.receiver)
    if walked:
        yield Switch(event, on, tuple(walked), each=True)
        return
    held = [obj.parent for obj in objects(event.receiver) if _PART.search(obj.label) and obj.parent is not None]
    held += [owner for obj in objects(event.receiver) for owner in _of_getter(obj)]
    if held or objects(event.receiver):
        yield Switch(event, on, tuple(held) or objects(event.receiver), each=False, part=bool(held))


def _of_getter(obj: Obj) -> tuple[Obj, ...]:
    """Return the module of which `get_input_embeddings()` and the like have given a part."""
    made = obj.made if obj.op == "call" else None
    return objects(made.receiver) if made is not None and made.method.startswith("get_") else ()
