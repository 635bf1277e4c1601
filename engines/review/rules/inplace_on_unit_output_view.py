"""FSDP090: an in-place operation on the output of a unit whose forward returns a view."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import objects, options
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.values import Function, Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP090",
    slug="inplace-on-unit-output-view",
    severity="error",
    fix="Use the out-of-place operation, or .clone() the output first.",
    torch=">=2.4",
)

_VIEWS = ("view", "transpose", "permute", "unflatten", "unsqueeze", "squeeze", "narrow", "expand", "t")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield in-place changes of a view that a sharded unit returned."""
    units = {id(target) for shard in flow.sharding.shards if shard.kind == "fsdp2" for target in shard.targets}
    if not units or not any(True for _ in flow.trace.calls(FULLY_SHARD)):
        return
    changed = [(event, event.receiver) for kind in ("augment", "setitem") for event in flow.trace.kind(kind)]
    changed += [
        (event, event.receiver)
        for name, events in flow.trace.by_method.items()
        if name.endswith("_") and not name.startswith("_") and name not in ("requires_grad_", "register_forward_hook_")
        for event in events
    ]
    for event, value in changed:
        if any(_view_of_unit(flow, option, units) for option in options(value)):
            yield flow.hit(
                event, "the unit returned a view; changing it in place drops the hook that gathers for backward"
            )


def _view_of_unit(flow: Flow, value: Value, units: set[int]) -> bool:
    made: Event | None = value.made if isinstance(value, Obj) and value.op == "call" else None
    if made is None or made.callee is None or made.qual or made.method:
        return False
    for obj in objects(made.callee):
        cls = flow.shapes.class_of(obj)
        forward = cls.member("forward") if cls is not None else None
        is_unit = id(base(obj)) in units or flow.sharding.unit_kinds(obj, made) == {"fsdp2"}
        if is_unit and isinstance(forward, Function) and _returns_view(forward.node):
            return True
    return False


def _returns_view(node: ast.AST) -> bool:
    returned = [part.value for part in ast.walk(node) if isinstance(part, ast.Return)]
    return bool(returned) and all(_is_view(value) for value in returned)


def _is_view(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, ast.Slice | ast.Tuple)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _VIEWS
