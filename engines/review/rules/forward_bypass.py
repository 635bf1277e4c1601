"""FSDP080: a call that bypasses the hooks which gather the parameters.

FSDP2: `.forward(x)` and the project's own methods that use parameters, unless they are
registered. FSDP1: `model.module(x)`. A class's own methods may call each other.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache

from contracts.finding import Severity
from engines.review.flow.bindings import is_lost
from engines.review.flow.knowing import constant, objects
from engines.review.flow.names import FSDP1
from engines.review.flow.project import Module
from engines.review.flow.sharding import Shard, base, chain, wrappers
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.flow.values import Class, Function, Obj
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP080",
    slug="forward-bypass",
    severity="error",
    fix='Call the module itself, or register_fsdp_forward_method(model, "method").',
    card="fsdp1-forward-bypass",
)

_COMPUTING = (
    "encode",
    "encode_image",
    "encode_text",
    "encode_video",
    "get_image_features",
    "get_text_features",
    "generate",
)
_PRODUCTS = ("linear", "embedding", "matmul", "mm", "bmm", "addmm", "einsum", "conv1d", "conv2d", "conv3d")
_TURNED = ("t", "T", "mT", "transpose", "to", "float", "type_as")
_REGISTER = "torch.distributed.fsdp.register_fsdp_forward_method"


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls of sharded modules past their hooks."""
    if not flow.shards_anything():
        return
    registered = {constant(event.arg(1, "method_name")) for event in flow.trace.calls(_REGISTER)}
    replaced = any(event.name == "forward" for event in flow.trace.kind("setattr"))
    for event in flow.trace.methods("forward"):
        if replaced and isinstance(event.node, ast.Call) and not isinstance(event.node.func, ast.Attribute):
            continue  # a bound forward, called by the function that takes its place
        if _plainly_fsdp2(flow, event) and not _own(event):
            message = f"{_name(event)}.forward() does not run the hooks that gather the parameters"
            yield at(*_asked_for(event), message)
    for event in (*flow.trace.kind("enter"), *flow.trace.events):
        name = event.name if event.kind == "enter" else event.method
        if not name or name in registered or not _uses_parameters(flow, event, name):
            continue
        if _plainly_fsdp2(flow, event) and not _own(event):
            yield flow.hit(event, f"{_name(event)}.{name}() uses parameters, but only forward() gathers them")
    yield from _unknown_methods(flow, registered)
    yield from _past_fsdp1(flow)
    yield from _past_wrapper(flow)
    yield from _part_first(flow)


def _asked_for(event: Event) -> tuple[Module, ast.AST]:
    """Return where the method is taken from the module: at the call that hands it on, where one does."""
    called = event.node.func if isinstance(event.node, ast.Call) else None
    function = event.function()
    if function is not None and isinstance(called, ast.Name):
        arguments = function.node.args
        names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        if called.id in names:
            return event.stack[-1].module, event.stack[-1].node
    return event.module, event.node


def _name(event: Event) -> str:
    return next((obj.label for obj in objects(event.receiver) if obj.label), "the model")


def _plainly_fsdp2(flow: Flow, event: Event) -> bool:
    return flow.sharding.kinds(event.receiver, event) == {"fsdp2"} and not type_tested(event)


def _own(event: Event) -> bool:
    """Tell whether the call is made by a method of the module itself."""
    function = event.function()
    bound = function.bound if function is not None else None
    return isinstance(bound, Obj) and any(base(obj) is base(bound) for obj in objects(event.receiver))


def _uses_parameters(flow: Flow, event: Event, name: str) -> bool:
    """Tell whether a method of the module's own class computes with its parts."""
    if event.kind not in ("enter", "call") or name in ("forward", "__call__") or name.startswith("__"):
        return False
    for obj in objects(event.receiver):
        cls = flow.shapes.class_of(obj) or _sharded_class(flow, obj, name)
        member = cls.member(name) if cls is not None else None
        if cls is not None and isinstance(member, Function) and _calls_parts(flow, cls, member.node):
            return True
    return False


def _sharded_class(flow: Flow, obj: Obj, name: str) -> Class | None:
    """Return the one class of the files that has this method, if the object's class is unknown."""
    if base(obj).op != "param":
        return None
    fitting = [cls for cls in flow.shapes.classes() if isinstance(cls.member(name), Function)]
    return fitting[0] if len(fitting) == 1 else None


def _calls_parts(flow: Flow, cls: Class, node: ast.AST) -> bool:
    """Tell whether a method's body calls or multiplies attributes that are modules or parameters."""
    parts = {name for name, value in flow.shapes.template(cls).attrs.items() if _has_parameters(value)}
    return bool(parts & _called_on_self(node))


@lru_cache(maxsize=2048)
def _called_on_self(node: ast.AST) -> frozenset[str]:
    """Return the attributes of self that a method calls, or with whose weight it multiplies its input."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            found.add(_self_attribute(part.func))
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            found.update(_weight_of_self(argument) for argument in part.args if name in _PRODUCTS)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult):
            found.update((_weight_of_self(part.left), _weight_of_self(part.right)))
    return frozenset(found)


def _weight_of_self(node: ast.expr) -> str:
    """Return part in `self.part.weight`, transposed or not, "" for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TURNED:
        node = node.func.value
    if isinstance(node, ast.Attribute) and node.attr in _TURNED:
        node = node.value
    return _self_attribute(node.value) if isinstance(node, ast.Attribute) and node.attr == "weight" else ""


def _has_parameters(value: object) -> bool:
    return isinstance(value, Obj) and (value.qual.startswith("torch.nn.") or value.cls is not None)


def _self_attribute(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return ""


def _unknown_methods(flow: Flow, registered: set[object]) -> Iterator[Hit]:
    """Methods of a class that is not known, whose names say that they compute."""
    for event in flow.trace.methods(*_COMPUTING):
        found = objects(event.receiver)
        root = len(found) == 1 and base(found[0]).op in ("param", "new", "call")
        if not root or event.method in registered or any(flow.shapes.class_of(o) for o in objects(event.receiver)):
            continue
        if _plainly_fsdp2(flow, event) and not _own(event):
            severity: Severity | None = "warning" if event.method == "generate" else None
            yield flow.hit(
                event,
                f"{_name(event)}.{event.method}() computes, but only forward() gathers the root",
                severity=severity,
            )


def _past_wrapper(flow: Flow) -> Iterator[Hit]:
    """A call of the module that was put into FSDP1's wrapper, not of the wrapper."""
    wraps = [shard for shard in flow.sharding.shards if shard.kind == "fsdp1"]
    for event in flow.trace.objects_called:
        callee = event.callee
        if not isinstance(callee, Obj) or callee.inner is not None or callee.op not in ("new", "call", "param"):
            continue
        if event.under(f"{FSDP1}.summon_full_params"):
            continue
        for shard in wraps:
            inside = shard.event.arg(0, "module") is callee and not shard.event.guards
            if inside and not is_lost(shard.event) and flow.trace.before(shard.event, event) and not type_tested(event):
                yield flow.hit(
                    event,
                    f"this is the module inside FSDP1's wrapper (line {shard.event.line}): it stays sharded",
                    "Call the wrapper.",
                )
                break


def _part_first(flow: Flow) -> Iterator[Hit]:
    """A unit is called by itself before the root, which then cannot become the root any more."""
    units = {id(shard.targets[0]): shard.event for shard in flow.sharding.shards if _is_unit(shard)}
    called = [(event, base(obj)) for event in flow.trace.objects_called for obj in objects(event.callee)[:1]]
    called = [(event, unit) for event, unit in called if id(unit) in units]
    for event, part in called:
        around = [link for link in chain(part) if link is not part and id(link) in units]
        whole = [other for other, unit in called if any(unit is link for link in around)]
        later = next((other for other in whole if flow.trace.before(event, other) and other.run == event.run), None)
        wrapped = all(flow.trace.before(units[id(unit)], event) for unit in (part, *around))
        if later is None or not wrapped or any(other.seq < event.seq for other in whole):
            continue
        hit = flow.hit(
            event, f"{part.label} is called before the root, which then finds it initialised as a root itself"
        )
        yield hit.beside(later, "the root's first call")
        return


def _is_unit(shard: Shard) -> bool:
    return shard.kind == "fsdp2" and len(shard.targets) == 1 and not shard.event.guards


def _past_fsdp1(flow: Flow) -> Iterator[Hit]:
    for event in flow.trace.methods("generate"):
        summoned = event.under("torch.distributed.fsdp.FullyShardedDataParallel.summon_full_params")
        if flow.sharding.kinds(event.receiver, event) == {"fsdp1"} and not summoned and not type_tested(event):
            wrapped = any(obj.inner is not None for obj in objects(event.receiver))
            if wrapped and not flow.mentions("summon_full_params"):
                yield flow.hit(
                    event, "generate() runs the module inside FSDP1's wrapper, whose own parameters stay sharded"
                )
    for event in flow.trace.objects_called:
        func = event.node.func if isinstance(event.node, ast.Call) else None
        if not isinstance(func, ast.Attribute) or func.attr != "module" or type_tested(event):
            continue
        if any(layer.qual == FSDP1 for obj in objects(event.callee) for layer in wrappers(obj)):
            continue  # an attribute of that name holds the wrapper
        if flow.sharding.kinds(event.callee, event) == {"fsdp1"}:
            yield flow.hit(
                event, "calling .module goes past FSDP1's wrapper, which gathers the parameters", "Call the wrapper."
            )
