"""FSDP017: the number of dimensions of a parameter is asked for after FSDP1 has made it 1-D."""

import ast
from collections.abc import Iterator

from engines.review.flow.flat import parameters_of_fsdp1
from engines.review.flow.knowing import options
from engines.review.flow.names import FSDP1
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP017",
    slug="fsdp1-ndim-after-wrap",
    severity="error",
    fix="Decide by name, or group the parameters before the wrap.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield comparisons of ndim, dim() or shape of FSDP1's original parameters."""
    reported: set[int] = set()
    for event in flow.trace.kind("compare"):
        for value in event.args:
            walk = _dimensions_of(value)
            if walk is None or id(walk) in reported or not _groups(walk, event):
                continue
            if parameters_of_fsdp1(flow.sharding, walk, walk, orig_params=True):
                reported.add(id(walk))
                yield flow.hit(event, "FSDP1's sharded parameters are 1-D views: every one of them goes the same way")


def _dimensions_of(value: Value) -> Event | None:
    """Return the walk over parameters of whose member a value is ndim, dim() or len(shape)."""
    for option in options(value):
        if not isinstance(option, Obj):
            continue
        if option.op == "attr" and option.label.endswith((".ndim", ".shape")) and option.parent is not None:
            return _walk(option.parent)
        made = option.made
        if made is not None and made.method in ("dim", "ndimension", "size") and isinstance(made.receiver, Obj):
            return _walk(made.receiver)
        if made is not None and made.qual == "len" and made.args:
            return _dimensions_of(made.args[0])
    return None


def _walk(obj: Obj) -> Event | None:
    return obj.made if obj.op == "elem" and obj.label == "parameter" else None


def _groups(walk: Event, event: Event) -> bool:
    """Tell whether a comparison sorts the parameters: beside the walk, in a comprehension, a lambda or by appending."""
    if walk.run != event.run or walk.under(f"{FSDP1}.summon_full_params"):
        return False
    function = event.function()
    in_lambda = function is not None and isinstance(function.node, ast.Lambda)
    chooses = bool(event.loops) and not isinstance(event.loops[-1], ast.For | ast.AsyncFor | ast.While)
    return walk.stack == event.stack or in_lambda or chooses or _appends(event)


def _appends(event: Event) -> bool:
    """Tell whether the comparison decides to which list an item is appended."""
    if not event.loops:
        return False
    for call in [node for node in ast.walk(event.loops[-1]) if isinstance(node, ast.Call)]:
        func = call.func
        chosen = func.value if isinstance(func, ast.Attribute) and func.attr == "append" else None
        if isinstance(chosen, ast.IfExp) and any(part is event.node for part in ast.walk(chosen.test)):
            return True
    branches = [node for node in ast.walk(event.loops[-1]) if isinstance(node, ast.If)]
    for branch in branches:
        if any(part is event.node for part in ast.walk(branch.test)):
            called = [node.func for node in ast.walk(branch) if isinstance(node, ast.Call)]
            return any(isinstance(func, ast.Attribute) and func.attr == "append" for func in called)
    return False
