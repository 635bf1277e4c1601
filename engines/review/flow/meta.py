"""Meta: models without storage, what gives them some, and what fills it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engines.review.flow.core import MADE_WITHIN
from engines.review.flow.initialisers import only_writes, uncalled
from engines.review.flow.knowing import constant, objects, options, origins
from engines.review.flow.names import FSDP1, FULLY_SHARD
from engines.review.flow.optimizers import is_optimizer_call
from engines.review.flow.project import Module
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import base, chain, within
from engines.review.flow.trace import Event, Trace
from engines.review.flow.values import Obj, Seq, Value

_FILLS = re.compile(r"init|reset|load|restore|fill|copy_|broadcast|set_model_state|materiali", re.IGNORECASE)
_SETTERS = (
    "torch.distributed.checkpoint.state_dict.set_model_state_dict",
    "torch.distributed.checkpoint.state_dict.set_state_dict",
)
_MAKERS = ("arange", "ones", "zeros", "full", "linspace", "logspace", "eye", "tensor", "empty", "rand", "randn")
"""Functions of torch that make a tensor on the device that is in force."""
_MOVES = ("to", "cuda", "cpu", "new_tensor", "numpy")
SETS_UP_JOB = ("init_process_group", "init_device_mesh")
"""What sounds like initialising, and concerns no model."""
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


def takes_buffers(meta: Event) -> bool:
    """Tell whether what puts a model on the meta device puts its buffers there as well."""
    return not meta.qual.endswith("init_empty_weights") or constant(meta.arg(0, "include_buffers")) is True


def assigning_loads(trace: Trace) -> Iterator[tuple[Event, Value | None]]:
    """Yield the loads that put other tensors in the place of a model's own, each with the model."""
    for event in trace.methods("load_state_dict"):
        if constant(event.arg(2, "assign")) is True:
            yield event, event.receiver
    for event in trace.calls(*_SETTERS):
        given = objects(event.kwargs.get("options"))
        made = [option.made for option in given if option.qual.endswith(".StateDictOptions")]
        if any(option is not None and constant(option.arg(0, "full_state_dict")) is True for option in made):
            yield event, event.arg(0, "model")


def handed_out(trace: Trace, model: Obj, since: Event) -> bool:
    """Tell whether code outside the files gets hold of a model in the run that made it; it may do anything to it."""
    return any(
        event.run == since.run
        and event.seq > since.seq
        and event.kind == "call"
        and _unknown(event)
        and not is_optimizer_call(event)
        and _concerns(event, model)
        for event in trace.events
    )


def computed_on_meta(trace: Trace, name: str, load: Event) -> bool:
    """Tell whether every registration of a buffer before a load makes its tensor where the device is meta."""
    found = [
        event
        for event in trace.methods("register_buffer")
        if event.run == load.run and event.seq < load.seq and event.args and constant(event.args[0]) == name
    ]
    return bool(found) and all(_makes_on_meta(event.arg(1, "tensor")) for event in found)


def _makes_on_meta(tensor: Value | None) -> bool:
    made = [value.made for value in origins(tensor, tests=False) if isinstance(value, Obj) and value.op == "call"]
    calls = [event for event in made if event is not None]
    makers = [event for event in calls if event.qual.rpartition(".")[2] in _MAKERS]
    if any("device" in event.kwargs or event.method in _MOVES for event in calls):
        return False
    torchs = all(event.method or event.qual.startswith(("torch.", "math.")) for event in calls)
    return torchs and bool(makers) and all(_innermost_is_meta(event) for event in makers)


def _innermost_is_meta(event: Event) -> bool:
    """Tell whether the innermost device around a call is meta."""
    devices = [
        value
        for value in event.withs
        if any(option.qual == "torch.device" or option.qual.endswith("init_empty_weights") for option in objects(value))
    ]
    return on_meta(devices[-1:]) is not None


def _concerns(event: Event, model: Obj) -> bool:
    values: list[Value | None] = [event.receiver, *event.args, *event.kwargs.values()]
    return any(within(base(obj), model) or within(model, base(obj)) for value in values for obj in objects(value))


def materialised(trace: Trace, shapes: Shapes, model: Obj, before: Event) -> bool:
    """Tell whether anything may have given a model storage before an event; writing into its tensors does not."""
    for event in trace.events:
        if event.seq < before.seq and event.kind == "setattr" and _takes_parameter(event, model):
            return True
        if event.seq >= before.seq or event.kind not in ("call", "enter") or event.qual in (FULLY_SHARD, FSDP1):
            continue
        if not _concerns(event, model) or is_optimizer_call(event) or only_writes(event, model, shapes):
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


def filled_after(
    trace: Trace, model: Obj, after: Event, until: Event | None = None, modules: Iterable[Module] = ()
) -> bool:
    """Tell whether anything may have filled a model's parameters after to_empty.

    Args:
        trace: The events.
        model: The model.
        after: The call of to_empty.
        until: A forward pass in the same run, by which it must have happened; None where none is seen.
        modules: The files that took part.
    """
    idle: dict[int, bool] = {}
    for event in trace.events:
        if event.seq <= after.seq or event.kind not in ("call", "enter") or not _may_fill(event, model):
            continue
        if until is None or event.run == after.run or after.run in trace.after.get(event.run, frozenset()):
            return True
        if event.run not in idle:
            idle[event.run] = uncalled(event, modules)
        if not idle[event.run]:
            return True
    return False


def _may_fill(event: Event, model: Obj) -> bool:
    name = event.qual.rpartition(".")[2] or event.method or event.name
    if event.qual.startswith("torch.nn.init.") or (_FILLS.search(name) and name not in SETS_UP_JOB):
        return True
    return _concerns(event, model) and _unknown(event)


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
