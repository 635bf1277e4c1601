"""Meta: models without storage, what gives them some, and what fills it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engines.review.flow.core import MADE_WITHIN
from engines.review.flow.knowing import constant, objects, options
from engines.review.flow.names import FSDP1, FULLY_SHARD
from engines.review.flow.optimizers import is_optimizer_call
from engines.review.flow.sharding import base, chain, within
from engines.review.flow.trace import Event, Trace
from engines.review.flow.values import Obj, Seq, Value

_FILLS = re.compile(r"init|reset|load|restore|fill|copy_|broadcast|set_model_state|materiali", re.IGNORECASE)
_IDLE_METHODS = frozenset(
    (
        *("to_empty", "parameters", "named_parameters", "train", "eval", "modules", "named_modules", "zero_grad"),
        *("children", "named_children", "requires_grad_", "compile", "to", "cuda"),
    )
)


def on_meta(withs: Iterable[Value]) -> Event | None:
    """Return the `torch.device("meta")` or `init_empty_weights()` among `with` blocks, None where there is none."""
    for value in withs:
        for option in options(value):
            made = option.made if isinstance(option, Obj) else None
            if made is None:
                continue
            if made.qual == "torch.device" and made.args and constant(made.args[0]) == "meta":
                return made
            if made.qual.endswith("init_empty_weights"):
                return made
    return None


def made_on_meta(model: Obj) -> Event | None:
    """Return what puts a model on the meta device where it is made, None where nothing is seen to."""
    if model.op == "new":
        within_these = model.attrs.get(MADE_WITHIN)
        return on_meta(within_these.items) if isinstance(within_these, Seq) else None
    return on_meta(model.made.withs) if model.made is not None else None


def asks_for_meta(model: Obj) -> bool:
    """Tell whether a class of the project is given the meta device where the model is made."""
    given = [option for source in model.sources for option in options(source)] if model.op == "new" else []
    made = [option.made for option in given if isinstance(option, Obj) and option.qual == "torch.device"]
    named = [*given, *(event.arg(0, "device") for event in made if event is not None)]
    return any(constant(value) == "meta" for value in named)


def _concerns(event: Event, model: Obj) -> bool:
    values: list[Value | None] = [event.receiver, *event.args, *event.kwargs.values()]
    return any(within(base(obj), model) or within(model, base(obj)) for value in values for obj in objects(value))


def materialised(trace: Trace, model: Obj, before: Event) -> bool:
    """Tell whether anything may have given a model storage before an event."""
    for event in trace.events:
        if event.seq < before.seq and event.kind == "setattr" and _takes_parameter(event, model):
            return True
        if event.seq >= before.seq or event.kind not in ("call", "enter") or event.qual in (FULLY_SHARD, FSDP1):
            continue
        if not _concerns(event, model) or is_optimizer_call(event):
            continue
        name = event.qual.rpartition(".")[2] or event.method or event.name
        if name == "to_empty" or _FILLS.search(name) or _unknown(event):
            return True
    return False


def _takes_parameter(event: Event, model: Obj) -> bool:
    """Tell whether a model, or a part of it, is given a parameter that another module has, or that is made for it."""
    if not any(within(base(obj), model) for obj in objects(event.receiver)):
        return False
    for value in objects(event.args[0]):
        if value.qual.endswith("nn.Parameter"):
            return True
        if value.op == "attr" and value.label.endswith(f".{event.name}") and not within(base(value), model):
            return True
    return False


def filled_after(trace: Trace, model: Obj, after: Event) -> bool:
    """Tell whether anything may have filled a model's parameters after to_empty."""
    for event in trace.events:
        if event.seq <= after.seq or event.kind not in ("call", "enter"):
            continue
        name = event.qual.rpartition(".")[2] or event.method or event.name
        if event.qual.startswith("torch.nn.init.") or (_FILLS.search(name) and name != "init_process_group"):
            return True
        if _concerns(event, model) and _unknown(event):
            return True
    return False


def _unknown(event: Event) -> bool:
    """Tell whether a callee outside the project, and not torch's, got hold of the model."""
    if event.kind == "enter":
        return False
    if event.qual:
        return not event.qual.startswith(
            ("torch.", "print", "len", "isinstance", "sum", "hasattr", "type", "list", "id")
        )
    if event.method:
        return event.method not in _IDLE_METHODS and event.receiver is not None and not objects(event.receiver)
    callee = event.callee
    return (
        isinstance(callee, Obj)
        and callee.op == "param"
        and not any(callee is link for obj in objects(callee) for link in chain(obj) if link.attrs)
    )
