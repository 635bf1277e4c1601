"""Chosen: the modules that a condition lets through, and the project's classes that they are of."""

from __future__ import annotations

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.shapes import Shapes
from engines.review.flow.values import Alt, Class, Const, Map, Obj, Seq, Value

CHOSEN_BY = "[chosen by]"
"""Attribute of a module that a comprehension or filter() has chosen from a walk: the tests."""
_SAME = ("==", "is", "in")


def filtered(value: Value, tests: list[Value]) -> Value:
    """Return what a walk yields once tests have chosen from it: modules of some classes only."""
    if isinstance(value, Alt):
        return Alt(tuple(filtered(option, tests) for option in value.options))
    if not isinstance(value, Obj) or value.op != "descendant" or not tests:
        return value
    chosen = Obj("descendant", value.label, parent=value.parent, symbolic=value.symbolic)
    chosen.attrs[CHOSEN_BY] = Seq(tests)
    return chosen


def classes_asked_for(test: Value, shapes: Shapes) -> list[Class]:
    """Return the classes that a module must be of for a condition to hold; none where it asks for more than that.

    `isinstance`, a comparison of the type or of the class's name, and several of these joined by `or`.

    Args:
        test: The condition.
        shapes: The classes that a name may mean.
    """
    if isinstance(test, Alt) or (isinstance(test, Obj) and test.op == "bool" and test.label == "or"):
        parts = [classes_asked_for(source, shapes) for source in test.sources]
        return [cls for part in parts for cls in part] if all(parts) else []
    if not isinstance(test, Obj):
        return []
    if test.qual == "isinstance" and test.made is not None:
        return list(_classes(test.made.arg(1, "class_or_tuple"), shapes))
    if test.op == "compare" and test.label in _SAME and len(test.sources) == 2 and _of_type(test.sources[0]):
        return list(_classes(test.sources[1], shapes))
    return []


def _of_type(value: Value) -> bool:
    """Tell whether a value is the class of something, or its name."""
    if not isinstance(value, Obj):
        return False
    if value.qual == "type" or value.label.endswith("__class__"):
        return True
    owner = value.parent if value.op == "attr" else None
    return owner is not None and value.label.endswith("__name__") and _of_type(owner)


def _classes(value: Value | None, shapes: Shapes) -> Iterator[Class]:
    for option in options(value):
        if isinstance(option, Class):
            yield option
        elif isinstance(option, Const):
            yield from (cls for cls in shapes.classes() if cls.node.name == constant(option))
        elif isinstance(option, Seq):
            for item in option.items:
                yield from _classes(item, shapes)
        elif isinstance(option, Map):
            for key in option.items:
                yield from _classes(Const(key), shapes)
        elif isinstance(option, Obj) and (option.label == "BitOr" or option.qual in ("tuple", "set", "frozenset")):
            for source in option.sources:
                yield from _classes(source, shapes)
