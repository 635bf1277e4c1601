"""Knowing: what can be said of a value that may be one of several, or was made from others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engines.review.flow.values import UNKNOWN, Alt, Const, Obj, Seq, Value

if TYPE_CHECKING:
    from engines.review.flow.trace import Event

MAX_OPTIONS = 4
"""Alternatives kept for one value; more carry no knowledge."""


def options(value: Value | None) -> tuple[Value, ...]:
    """Return what a value may be, as a flat tuple."""
    if value is None:
        return ()
    return value.options if isinstance(value, Alt) else (value,)


def join(*values: Value | None) -> Value:
    """Return the value that is any of these; UNKNOWN for too many."""
    first = values[0] if values else None
    if first is not None and all(value is first for value in values):
        return first
    found: list[Value] = []
    for value in values:
        for option in options(value):
            for other in found:
                if option is other or _same_const(option, other):
                    break
            else:
                found.append(option)
    if len(found) == 1:
        return found[0]
    if not found:
        return UNKNOWN
    known = [value for value in found if value is not UNKNOWN]
    return Alt(tuple(known[:MAX_OPTIONS])) if len(known) > 1 else (known[0] if known else UNKNOWN)


def _same_const(left: Value, right: Value) -> bool:
    return (
        isinstance(left, Const)
        and isinstance(right, Const)
        and type(left.value) is type(right.value)
        and left.value == right.value
    )


def objects(value: Value | None, depth: int = 4) -> tuple[Obj, ...]:
    """Return the objects that a value may be, those inside literal lists (of lists) included."""
    found: list[Obj] = []
    for option in options(value):
        if isinstance(option, Obj):
            found.append(option)
        elif isinstance(option, Seq) and depth:
            for item in option.items:
                found.extend(objects(item, depth - 1))
    return tuple(found)


def constant(value: Value | None) -> object:
    """Return the literal behind a value, or None where it is no literal (or is None)."""
    return value.value if isinstance(value, Const) else None


def number(value: Value | None, depth: int = 6) -> int | None:
    """Return a whole number that is written, or computed from such numbers; None where it is not known."""
    known = constant(value)
    if isinstance(known, int) and not isinstance(known, bool):
        return known
    if not isinstance(value, Obj) or value.op != "expr" or len(value.sources) != 2 or not depth:
        return None
    left, right = (number(source, depth - 1) for source in value.sources)
    computed = _ARITHMETIC.get(value.label)
    if computed is None or left is None or right is None or (right == 0 and value.label in ("FloorDiv", "Mod")):
        return None
    return computed(left, right)


def is_given(value: Value | None) -> bool:
    """Tell whether an argument is there and not the literal None."""
    return value is not None and not (isinstance(value, Const) and value.value is None)


def is_true(value: Value | None) -> bool:
    """Tell whether a value is certainly the literal True."""
    return constant(value) is True


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
}
_TESTS = ("compare", "bool", "not")


def origins(value: Value | None, limit: int = 200, *, tests: bool = True) -> Iterator[Value]:
    """Yield a value and everything it was made from, nearest first.

    Args:
        value: The value.
        limit: Number of values at most.
        tests: Whether to go on to what conditions ask about, such as those that chose the items of a list.
    """
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    index = 0
    while index < len(queue) and index < limit:
        current = queue[index]
        index += 1
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if not tests and isinstance(current, Obj) and current.op in _TESTS:
            continue
        queue.extend(current.sources)
        if isinstance(current, Obj):
            if current.inner is not None:
                queue.append(current.inner)
            if current.parent is not None and not current.sources:
                queue.append(current.parent)


def qual_in_guards(event: Event, *words: str) -> bool:
    """Tell whether the conditions around an event call or name any of these.

    Args:
        event: The event.
        words: Last parts of names, such as `isinstance`, or parts of a class's name.
    """
    for guard in event.guards:
        for source in origins(guard.test, 60):
            name = getattr(source, "name", None)
            qual = source.qual if isinstance(source, Obj) else ""
            if qual.rpartition(".")[2] in words or (isinstance(name, str) and name.rpartition(".")[2] in words):
                return True
    return False


def spelled(value: Value) -> tuple[object, ...] | None:
    """Return a form that is equal for expressions that are written alike, None where unknown."""
    if isinstance(value, Const):
        return ("const", type(value.value).__name__, repr(value.value))
    if not isinstance(value, Obj) or value is UNKNOWN:
        return None
    if value.op != "expr" or not value.sources:
        return ("obj", id(value))
    parts = tuple(spelled(source) for source in value.sources)
    return None if None in parts else ("expr", value.label, *parts)
