"""Initialisers: functions that write into the tensors which are there, and those that nobody calls.

On the meta device they do nothing, without an error: it has no storage that could be written into.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from engines.review.flow.contents import class_names
from engines.review.flow.knowing import objects
from engines.review.flow.parsing import Unparsable
from engines.review.flow.project import Module
from engines.review.flow.ranks import implied, strip_not
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.values import Class, Ext, Function, Obj, Seq, Value

_INITIALISERS = ("reset_parameters", "init_weights")
_HARMLESS = frozenset(
    (
        *("isinstance", "hasattr", "super", "range", "len", "enumerate", "zip", "sqrt", "no_grad", "print"),
        *("modules", "named_modules", "children", "named_children", "parameters", "named_parameters", "items"),
        *("min", "max", "float", "int", "size", "dim", "numel", "endswith", "startswith", "values"),
    )
)
_GIVES_STORAGE = re.compile(r"materiali|empty|load|storage|swap|set_$")
_PLAIN_BASES = ("torch.nn.Module", "object")


def only_writes(event: Event, model: Obj, shapes: Shapes) -> bool:
    """Tell whether a call certainly does no more than write into a module's tensors.

    Args:
        event: The call of a method, or its being entered.
        model: The module that it, or a part of it, is called of.
        shapes: The classes of the files.
    """
    if event.kind == "enter":
        return _by_classes([obj.cls for obj in objects(event.receiver)], event.name)
    if event.method in ("copy_", "fill_"):
        return True
    if event.method not in _INITIALISERS:
        return False
    receivers = objects(event.receiver)
    if receivers and all(base(obj).qual.startswith("torch.nn.") for obj in receivers):
        return True
    if event.method == "reset_parameters" and _of_torch_only(event):
        return True
    if class_names(shapes, model) is None:
        return False
    classes = [cls for cls in (model.cls, *(part.cls for _, part in shapes.parts(model))) if cls is not None]
    return all(cls.member(name) is None or _by_classes([cls], name) for cls in classes for name in _INITIALISERS)


def _of_torch_only(event: Event) -> bool:
    """Tell whether a condition lets only layers of torch's own through: `isinstance(module, nn.Linear)`."""
    for guard in event.guards:
        for test, holds in implied(strip_not(guard.test)[0], guard.arm == 0):
            asked = test.made.args[1:2] if holds and isinstance(test, Obj) and test.made is not None else ()
            if asked and isinstance(test, Obj) and test.qual == "isinstance":
                classes: Iterable[Value] = asked[0].items if isinstance(asked[0], Seq) else asked
                return all(isinstance(cls, Ext) and cls.name.startswith("torch.nn.") for cls in classes)
    return False


def _by_classes(classes: list[Class | None], name: str) -> bool:
    members = [cls.member(name) if cls is not None else None for cls in classes]
    return bool(members) and all(isinstance(member, Function) and _in_place(member) for member in members)


def _in_place(function: Function) -> bool:
    """Tell whether a function's body calls nothing but what writes in place, and assigns no attribute or item."""
    for node in ast.walk(function.node):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            return False
        if isinstance(node, ast.Call):
            func = node.func
            name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
            writes = name.endswith("_") and not _GIVES_STORAGE.search(name)
            if not writes and name not in _HARMLESS and name not in _INITIALISERS:
                return False
    return True


def uncalled(event: Event, modules: Iterable[Module]) -> bool:
    """Tell whether an event is in code that nothing in the files calls, names or hands on.

    A method of a class with a base outside the files may be called by it, and a decorated function by its decorator.

    Args:
        event: What happens, in a run of its own.
        modules: The files that took part.
    """
    root = event.stack[0].callee if event.stack else None
    if root is None or isinstance(root.node, ast.Lambda):
        return False
    bases = list(root.owner.linear()) if root.owner is not None else []
    if not all(isinstance(link, Class) or (isinstance(link, Ext) and link.name in _PLAIN_BASES) for link in bases):
        return False
    known = ("no_grad", "inference_mode", "staticmethod", "classmethod")
    if any(ast.unparse(item).strip("()").rpartition(".")[2] not in known for item in root.node.decorator_list):
        return False
    try:
        return not any(_asks_for(root.name, module.tree) for module in modules)
    except Unparsable:
        return False


def _asks_for(name: str, tree: ast.AST) -> bool:
    """Tell whether a name is used anywhere but in functions that bear it."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            continue
        found = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        if isinstance(node, ast.Name | ast.Attribute | ast.Constant) and found == name:
            return True
        if isinstance(node, ast.alias) and name in (node.name, node.asname):
            return True
        stack.extend(ast.iter_child_nodes(node))
    return False
