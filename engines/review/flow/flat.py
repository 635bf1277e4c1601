"""Flat: what FSDP1 has made of the parameters that a walk yields."""

from __future__ import annotations

from engines.review.flow.knowing import constant, objects
from engines.review.flow.names import FSDP1
from engines.review.flow.sharding import Sharding, wrappers
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj


def parameters_of_fsdp1(sharding: Sharding, walk: Event, event: Event, *, orig_params: bool) -> bool:
    """Tell whether a walk over parameters is over a model that FSDP1 has wrapped by then.

    Args:
        sharding: The sharding of the trace.
        walk: The call of `parameters` or `named_parameters`.
        event: Where the parameters are used.
        orig_params: Which setting of `use_orig_params` the wrap must certainly have.
    """
    for obj in objects(walk.receiver):
        made = _wrap(obj)
        if made is None or "**" in made.kwargs or not sharding.trace.before(made, event):
            return False
        setting = made.kwargs.get("use_orig_params")
        if (constant(setting) if setting is not None else False) is not orig_params:
            return False
    return bool(objects(walk.receiver))


def _wrap(obj: Obj) -> Event | None:
    for layer in wrappers(obj):
        if layer.qual == FSDP1:
            return layer.made
    return None
