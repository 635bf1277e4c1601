"""One setting of a plan, varied: what memory and speed become while all the others stay as they are."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.plan import Plan
from contracts.request import Request
from contracts.whatif import Chart, WhatIf
from engines.sizing.choose import setup_of
from engines.sizing.search.question import RECIPE_NAMES
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.predict import Machine
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import FIGURES, Figures, figures, row
from knowledge.devices import Device, devices, find_device

MOST_VALUES = 32
"""A longer table is read by nobody."""

_NAMES = {ours: name for name, ours in RECIPE_NAMES.items()} | {"gpus": "ranks", "precision": "param_dtype"}
"""Words of the command line and of a recipe, as fields of a TrainingSetup."""
_TOGETHER = {"reshard_after_forward": ("reshard_last",)}
"""Fields that follow another."""


def vary(request: Request, plan: Plan, shape: ModelShape, key: str, values: Sequence[str]) -> WhatIf:
    """Return the predictions for each value of one setting.

    Args:
        request: What was asked.
        plan: Its plan; the other settings are those that it chose.
        shape: The model.
        key: A setting of a recipe, `gpus`, `gpu`, or any field of a TrainingSetup.
        values: Its values as text.

    Raises:
        RequestInvalid: The setting or a value of it does not exist, or contradicts the others.
        CannotBeKnown: A GPU is not known.
    """
    if not 1 <= len(values) <= MOST_VALUES:
        raise RequestInvalid(f"--vary takes 1 to {MOST_VALUES} values, not {len(values)}")
    name = _NAMES.get(key.replace("-", "_"), key.replace("-", "_"))
    if name != "gpu" and name not in TrainingSetup.model_fields:
        known = ", ".join(sorted([*_NAMES, "gpu", "optimizer", "compile", "tp", "cp"]))
        raise RequestInvalid(f"--vary {key!r} is no setting", hint=f"such as {known}")
    base = _case(request, plan, shape)
    cases = [_varied(base, name, value) for value in values]
    found = [figures(case, case.setup) for case in cases]
    rows = tuple(row(key, value, one, found[0].reserved_gib) for value, one in zip(values, found, strict=True))
    numbers = all(value.replace(".", "", 1).isdecimal() for value in values)
    return WhatIf(
        question="vary",
        asks=f"What do memory and speed become with other values of {key}?",
        model=shape.name,
        columns=(FIGURES[0].model_copy(update={"name": key, "unit": ""}), *FIGURES),
        rows=rows,
        answer=_said(key, values, found),
        chart=Chart(kind="line" if numbers else "bar", x=key, y="reserved", limit=base.limit_gib),
        assumptions=("the other settings are those of the plan; nothing else is chosen anew",),
    )


def _case(request: Request, plan: Plan, shape: ModelShape) -> Case:
    hardware = request.hardware
    known = find_device(hardware.gpu_type) if hardware.gpu_type and hardware.device == "cuda" else None
    nodes = hardware.nodes if "nodes" in hardware.model_fields_set else None
    machine = Machine(known, nodes, hardware.network) if known else None
    capacity = plan.memory.capacity_gib if plan.memory else None
    return Case(shape, setup_of(request, plan.recipe, plan.world_size), machine, capacity)


def _varied(base: Case, name: str, text: str) -> Case:
    if name == "gpu":
        device = _device(text)
        machine = replace(base.machine, device=device) if base.machine else Machine(device)
        return replace(base, machine=machine, capacity_gib=device.usable_gib)
    value = _value(text)
    changes = {name: value} | dict.fromkeys(_TOGETHER.get(name, ()), value)
    if name == "grad_accum":
        changes["accumulate_unsharded"] = isinstance(value, int) and value > 1
    return replace(base, setup=base.varied(**changes))


def _device(name: str) -> Device:
    device = find_device(name)
    if device is None:
        known = ", ".join(each.name for each in devices().values())
        raise CannotBeKnown(f"the GPU {name!r} is not known", code="gpu_unknown", hint=f"known: {known}")
    return device


def _value(text: str) -> Any:
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except ValueError:
        return text


def _said(key: str, values: Sequence[str], found: list[Figures]) -> str:
    pairs = list(zip(values, found, strict=True))
    least = min(pairs, key=lambda pair: pair[1].reserved_gib)
    parts = [f"{key}={least[0]} takes the least: {least[1].reserved_gib:.2f} GiB reserved"]
    fitting = [pair for pair in pairs if pair[1].fits]
    if all(one.fits is None for one in found):
        parts.append("whether it fits is not judged, for the memory of the device is not known")
    elif not fitting:
        parts.append("none of them fits with its margin")
    timed = [pair for pair in fitting or pairs if pair[1].tokens_per_s is not None]
    if timed:
        best = max(timed, key=lambda pair: pair[1].tokens_per_s or 0.0)
        which = "the fastest that fits" if fitting else "the fastest"
        parts.append(f"{key}={best[0]} is {which}: {best[1].tokens_per_s:,.0f} tokens/s per GPU")
    return "; ".join(parts) + "."
