"""FSDP072: .item() of a reduction over a sharded parameter is this rank's part of it."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Obj, Value
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
        inner = _operand(obj)
        if inner is None:
            return False
        obj = inner
    return False


def _operand(obj: Obj) -> Obj | None:
    """Return what a value was computed from element by element: x.float(), x * x, x ** 2."""
    if obj.op == "expr" and obj.label in ("Mult", "Pow"):
        operands = [source for source in obj.sources if not isinstance(source, Const)]
        same = operands and all(operand is operands[0] for operand in operands)
        return operands[0] if same and isinstance(operands[0], Obj) else None
    made = obj.made if obj.op == "call" else None
    elementwise = made is not None and made.method in _ELEMENTWISE and isinstance(made.receiver, Obj)
    return made.receiver if elementwise and made is not None and isinstance(made.receiver, Obj) else None


def _of_sharded(flow: Flow, parameter: Obj, event: Event) -> bool:
    top: Obj | None = parameter
    while top is not None and top.op != "elem":
        top = top.parent or _operand(top)
    owners = parameter_owners(top)
    return bool(owners) and all(flow.sharding.kinds(owner, event) == {"fsdp2"} for owner in owners)
