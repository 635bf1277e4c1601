"""Optimizers: what makes one, and over whose parameters."""

from __future__ import annotations

import re

from engines.review.flow.knowing import objects, options, origins
from engines.review.flow.methods import PARAMETERS
from engines.review.flow.trace import Event, Trace
from engines.review.flow.values import Obj, Value

OPTIMIZER_NAMES = frozenset(
    (
        *(
            "Adam",
            "AdamW",
            "SGD",
            "Adagrad",
            "Adadelta",
            "Adamax",
            "NAdam",
            "RAdam",
            "RMSprop",
            "Rprop",
            "ASGD",
            "LBFGS",
        ),
        *("Muon", "Adafactor", "Lion", "LAMB", "Lamb", "Sophia", "SophiaG", "FusedAdam", "AnyPrecisionAdamW"),
        *("AdamW8bit", "PagedAdamW", "PagedAdamW8bit", "AdamWFp8", "DecoupledAdamW"),
    )
)
"""Classes that are optimizers wherever they are imported from."""

_FACTORY = re.compile(r"^_?(build|create|make|get|init|setup|configure|prepare)_?\w*optim(izer)?s?$", re.IGNORECASE)
"""Functions outside the review that make an optimizer, by their names."""


def parameter_owners(value: Value | None) -> list[Obj]:
    """Return the modules (wrappers and all) whose parameters a value was made from."""
    owners: list[Obj] = []
    for source in origins(value, tests=False):
        made = source.made if isinstance(source, Obj) and source.op in ("call", "elem") else None
        if made is not None and made.method in PARAMETERS:
            owners.extend(objects(made.receiver))
    return list({id(owner): owner for owner in owners}.values())


def captures(value: Value | None) -> list[Event]:
    """Return the walks over parameters whose members (not only the lazy walk itself) a value holds."""
    found: list[Event] = []
    for source in origins(value, tests=False):
        if not isinstance(source, Obj):
            continue
        held = source.sources[0] if source.qual in ("list", "tuple", "set", "sorted") and source.sources else None
        one = source if source.op == "elem" and source.label == "parameter" else held
        if isinstance(one, Obj) and one.made is not None and one.made.method in PARAMETERS:
            found.append(one.made)
    return list(dict.fromkeys(found))


def is_optimizer_call(event: Event) -> bool:
    """Tell whether an event makes an optimizer."""
    last = event.qual.rpartition(".")[2]
    return last in OPTIMIZER_NAMES or (last == "<any>" and event.qual.startswith("torch.optim."))


def is_factory_call(event: Event) -> bool:
    """Tell whether an event calls a function outside the review that makes an optimizer."""
    callee = event.callee
    name = event.qual or (callee.label if isinstance(callee, Obj) else "")
    return bool(_FACTORY.match(name.rpartition(".")[2])) and not event.method


def optimizers(trace: Trace) -> list[tuple[Event, list[Obj]]]:
    """Return the calls that make optimizers, in order, each with the modules it is over."""
    found = [
        (event, parameter_owners(event.arg(0, "params")))
        for events in trace.by_qual.values()
        if is_optimizer_call(events[0])
        for event in events
    ]
    for event in (*trace.objects_called, *(e for events in trace.by_qual.values() for e in events)):
        if is_factory_call(event):
            found.append((event, parameter_owners(event.arg(0, "params")) or list(objects(event.arg(0, "model")))))
    return sorted(found, key=lambda pair: pair[0].seq)


def is_optimizer(value: Value | None) -> bool:
    """Tell whether a value is an optimizer that was made in code that was read."""
    return any(isinstance(o, Obj) and o.made is not None and is_optimizer_call(o.made) for o in options(value))
