"""Shapes: what is known of a module's parts, from its class or from how it is used."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from engines.review.flow.attributes import CONTAINERS, is_module_class
from engines.review.flow.project import Module
from engines.review.flow.sharding import base, chain
from engines.review.flow.values import Class, Obj, Value

MAX_PARTS = 200
"""Parts of one module that are looked at."""


class Shapes:
    """Classes of the files that took part in a trace, and which of them an object may be."""

    def __init__(self, modules: Iterable[Module], template: Callable[[Class], Obj]) -> None:
        """Collect the classes.

        Args:
            modules: Files whose classes may be meant.
            template: Returns an instance of a class, made with unknown arguments.
        """
        self._modules = list(modules)
        self._template = template
        self._classes: list[Class] | None = None

    def classes(self) -> list[Class]:
        """Return the nn.Module classes that the files define."""
        if self._classes is None:
            found = {
                id(value): value
                for module in self._modules
                for value in module.scope.vars.values()
                if isinstance(value, Class) and is_module_class(value)
            }
            self._classes = list(found.values())
        return self._classes

    def class_of(self, obj: Obj) -> Class | None:
        """Return an object's class; that of the only module class with all attributes used of it."""
        obj = base(obj)
        if obj.cls is not None:
            return obj.cls
        used = {name for name in obj.attrs if not name.startswith("[")}
        if not used or obj.op not in ("param", "elem", "attr", "call"):
            return None
        fitting = [cls for cls in self.classes() if used <= self.names(cls)]
        return fitting[0] if len(fitting) == 1 else None

    def names(self, cls: Class) -> set[str]:
        """Return the names of a class's attributes and methods."""
        members = {name for link in cls.linear() if isinstance(link, Class) for name in link.members}
        return set(self._template(cls).attrs) | members

    def template(self, cls: Class) -> Obj:
        """Return an instance of a class, made with unknown arguments."""
        return self._template(cls)

    def known_part(self, obj: Obj) -> Obj:
        """Return what an object is, seen through the class of its owner where that is known."""
        obj = base(obj)
        if obj.made is not None or obj.cls is not None or obj.op != "attr" or obj.parent is None:
            return obj
        owner = self.class_of(obj.parent)
        if owner is None:
            return obj
        part = self._template(owner).attrs.get(obj.label.rpartition(".")[2])
        return part if isinstance(part, Obj) else obj

    def parts(self, obj: Obj) -> Iterator[tuple[str, Obj]]:
        """Yield (name, part) of a module and of the modules in it, as far as they are known."""
        cls = self.class_of(obj)
        stack: list[Obj] = [base(obj), *([self._template(cls)] if cls is not None else [])]
        seen: set[int] = set()
        while stack and len(seen) < MAX_PARTS:
            current = stack.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            for name, part in _parts_of(current):
                yield name, part
                stack.append(part)

    def ties(self, obj: Obj) -> list[tuple[str, str]]:
        """Return pairs of names of parts whose `weight` is one parameter, as the class always makes it."""
        top = list(chain(obj))[-1]
        cls = self.class_of(top)
        if cls is None or _ties_on_condition(cls.node):
            return []
        found: list[tuple[str, str]] = []
        for name, part in self.parts(self._template(cls)):
            weight = part.attrs.get("weight")
            if isinstance(weight, Obj) and weight.parent is not None and weight.parent is not part:
                found.append((name, weight.parent.label.rpartition(".")[2]))
        return found


def _parts_of(obj: Obj) -> Iterator[tuple[str, Obj]]:
    for name, value in list(obj.attrs.items()):
        if isinstance(value, Obj):
            yield name, value
    if obj.qual in CONTAINERS and obj.made is not None:
        for argument in obj.made.args:
            yield from _inside(argument)


def _inside(value: Value) -> Iterator[tuple[str, Obj]]:
    for source in (value,) if isinstance(value, Obj) else value.sources:
        if isinstance(source, Obj) and (
            source.cls or source.inner or source.op == "param" or source.qual.startswith("torch.nn.")
        ):
            yield "[*]", source


def _ties_on_condition(node: ast.ClassDef) -> bool:
    """Tell whether a class assigns a weight under a condition: whether it ties is then not known."""
    for condition in ast.walk(node):
        if isinstance(condition, ast.If):
            for statement in ast.walk(condition):
                if isinstance(statement, ast.Assign) and any(
                    isinstance(target, ast.Attribute) and target.attr == "weight" for target in statement.targets
                ):
                    return True
    return False
