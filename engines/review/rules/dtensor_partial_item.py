"""FSDP072: .item() of a reduction over a sharded parameter is this rank's part of it."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP072",
    slug="dtensor-partial-item",
    severity="error",
    fix="Reduce first on all ranks: p.grad.norm().full_tensor().item()",
    torch=">=2.4",
)

_REDUCTIONS = frozenset(("norm", "sum", "mean", "max", "min", "std", "var", "prod", "amax", "amin"))
_ELEMENTWISE = ("detach", "float", "abs", "pow", "square")
_CALLS = ("torch.norm", "torch.linalg.vector_norm", "torch.linalg.norm", "torch.sum", "torch.mean", "torch.max")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield numbers taken from partial reductions."""
    readers = [(event, event.receiver) for event in flow.trace.methods("item", "tolist")]
    readers += [(event, event.args[0]) for event in flow.trace.calls("float") if event.args]
    for event, value in readers:
        for option in options(value):
            reduced = _reduced(option)
            if reduced is not None and _of_sharded(flow, reduced, event) and isinstance(event.node, ast.Call):
                yield flow.hit(event, "the reduction is a partial DTensor: .item() gives this rank's part, no error")
                break


def _reduced(value: Value) -> Obj | None:
    """Return the parameter (or gradient) of which a value is a reduction."""
    made = value.made if isinstance(value, Obj) and value.op == "call" else None
    if made is None:
        return None
    if made.method in _REDUCTIONS:
        source = made.receiver
    elif made.qual in _CALLS:
        source = made.args[0] if made.args else None
    else:
        return None
    return source if isinstance(source, Obj) and _is_parameter(source) else None


def _is_parameter(obj: Obj) -> bool:
    """A parameter from a walk, its .grad or .data, or one of these detached or cast."""
    for _ in range(4):
        if obj.op == "elem" and obj.label == "parameter":
            return True
        if obj.op == "attr" and obj.label.endswith((".grad", ".data")) and obj.parent is not None:
            obj = obj.parent
            continue
        made = obj.made
        elementwise = made is not None and obj.op == "call" and made.method in _ELEMENTWISE
        if not elementwise or made is None or not isinstance(made.receiver, Obj):
            return False
        obj = made.receiver
    return False


def _of_sharded(flow: Flow, parameter: Obj, event: Event) -> bool:
    top: Obj | None = parameter
    while top is not None and top.op != "elem":
        made = top.made
        top = top.parent or (made.receiver if made is not None and isinstance(made.receiver, Obj) else None)
    owners = parameter_owners(top)
    return bool(owners) and all(flow.sharding.kinds(owner, event) == {"fsdp2"} for owner in owners)
