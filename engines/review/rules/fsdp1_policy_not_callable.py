"""FSDP012: an auto_wrap_policy that is no policy: a collection, a class, class names, or a policy called at once."""

import re
from collections.abc import Iterator

from engines.review.flow.attributes import is_module_class
from engines.review.flow.knowing import constant, options
from engines.review.flow.names import FSDP1
from engines.review.flow.values import Class, Const, Ext, Map, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP012",
    slug="fsdp1-policy-not-callable",
    severity="error",
    fix="ModuleWrapPolicy({Cls}), or functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Cls})",
)

_WRAP = "torch.distributed.fsdp.wrap"
_FUNCTIONS = tuple(
    f"{_WRAP}.{name}"
    for name in ("transformer_auto_wrap_policy", "size_based_auto_wrap_policy", "lambda_auto_wrap_policy")
)


_MAKES_TEXT = ("split", "strip", "lower", "format", "join", "removeprefix", "removesuffix")
_COLLECTS = ("set", "list", "tuple", "frozenset", "sorted")
_LAYER = re.compile(r"([A-Z]\w*)?(Layer|Block|Attention|MLP)$")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield policies that fail when the model is wrapped."""
    for event in flow.trace.calls(FSDP1):
        policy = event.arg(4, "auto_wrap_policy") if len(event.args) > 4 else event.kwargs.get("auto_wrap_policy")
        if any(_collection(option) for option in options(policy)):
            message = "auto_wrap_policy is a collection of classes, not a policy"
            yield flow.hit(event, message, argument="auto_wrap_policy")
        elif any(isinstance(constant(option), str) for option in options(policy)):
            yield flow.hit(event, "auto_wrap_policy is a name, not a policy", argument="auto_wrap_policy")
        elif any(_layer_class(option) for option in options(policy)):
            message = "auto_wrap_policy is a module's class, not a policy"
            yield flow.hit(event, message, argument="auto_wrap_policy")
    for event in flow.trace.calls(f"{_WRAP}.ModuleWrapPolicy"):
        if _names_classes(event.arg(0, "module_classes")):
            yield flow.hit(event, "ModuleWrapPolicy takes classes, not their names")
    for event in flow.trace.calls("functools.partial"):
        policy = event.args[0] if event.args else None
        named = _names_classes(event.kwargs.get("transformer_layer_cls"))
        if isinstance(policy, Ext) and policy.name in _FUNCTIONS and named:
            message = "transformer_layer_cls holds names; isinstance needs the classes"
            yield flow.hit(event, message, argument="transformer_layer_cls")
    for event in flow.trace.calls(*_FUNCTIONS):
        if "module" not in event.kwargs and not _is_module(event.args[:1]) and "**" not in event.kwargs:
            name = event.qual.rpartition(".")[2]
            yield flow.hit(event, f"{name} is called here; a policy has to be a callable that FSDP calls itself")


def _collection(value: Value) -> bool:
    return isinstance(value, Seq | Map) or (isinstance(value, Obj) and value.qual in _COLLECTS)


def _layer_class(value: Value) -> bool:
    """Tell whether a value is a module's class itself, by its bases or, from elsewhere, by its name."""
    if isinstance(value, Class):
        return is_module_class(value)
    return isinstance(value, Ext) and _LAYER.match(value.name.rpartition(".")[2]) is not None


def _names_classes(value: Value | None, depth: int = 4) -> bool:
    """Tell whether a value certainly holds texts: names of classes, not the classes."""
    found = options(value)
    return bool(found) and depth > 0 and all(_holds_text(option, depth) for option in found)


def _holds_text(value: Value, depth: int) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, str)
    if isinstance(value, Seq):
        return any(_names_classes(item, depth - 1) for item in value.items)
    if not isinstance(value, Obj):
        return False
    if value.op == "attr":
        return value.label.endswith("__name__")
    made = value.made
    if made is not None and made.qual in _COLLECTS:
        return bool(made.args) and _names_classes(made.args[0], depth - 1)
    return made is not None and value.op in ("call", "elem") and made.method in _MAKES_TEXT


def _is_module(args: tuple[Value, ...]) -> bool:
    return bool(args) and isinstance(args[0], Obj)
