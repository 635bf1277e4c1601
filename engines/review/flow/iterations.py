"""Iterations: what the builtins yield that walk over other values."""

from __future__ import annotations

from engines.review.flow.chosen import filtered
from engines.review.flow.core import Core
from engines.review.flow.methods import PARAMETERS
from engines.review.flow.trace import Event
from engines.review.flow.values import UNKNOWN, Const, Function, Map, Obj, Seq, Value

SAME_ELEMENTS = frozenset(
    {"list", "tuple", "set", "sorted", "reversed", "iter", "frozenset", "tqdm.tqdm", "tqdm.auto.tqdm"}
)
"""Callables whose result has the elements of their first argument."""


class Iterations(Core):
    """Results of map, filter, enumerate, zip, next, and of copies of a sequence."""

    def of_map(self, event: Event) -> Value | None:
        """Call f with an element of each sequence: what map(f, *xs) yields."""
        if len(event.args) < 2:
            return None
        made = Obj("call", sources=event.args, node=event.node, made=event)
        given = tuple(self.element(argument) for argument in event.args[1:])
        made.attrs["[*]"] = self.call(event.args[0], given, {}, event.node)
        return made

    def of_filter(self, event: Event) -> Value | None:
        """Call f with an element, and yield the elements as chosen by it."""
        if len(event.args) != 2:
            return None
        made = Obj("call", sources=event.args, node=event.node, made=event)
        element = self.element(event.args[1])
        test = self.call(event.args[0], (element,), {}, event.node) if isinstance(event.args[0], Function) else UNKNOWN
        made.attrs["[*]"] = filtered(element, [test])
        return made

    def of_enumerate(self, event: Event) -> Value | None:
        """Yield an index with each element."""
        made = Obj("call", sources=event.args, node=event.node, made=event)
        index = Obj("expr", "index", made=event)
        made.attrs["[*]"] = Seq([index, self.element(event.args[0]) if event.args else UNKNOWN])
        return made

    def of_zip(self, event: Event) -> Value | None:
        """Yield an element of each sequence."""
        made = Obj("call", sources=event.args, node=event.node, made=event)
        made.attrs["[*]"] = Seq([self.element(argument) for argument in event.args])
        return made

    def of_next(self, event: Event) -> Value | None:
        """Return an element."""
        return self.derived("next", self.element(event.args[0]), node=event.node) if event.args else None

    def same_elements(self, name: str, event: Event) -> Value:
        """Return what has the elements of the first argument of list, sorted, reversed and the like."""
        value = event.args[0]
        if isinstance(value, Map) and not value.more:
            return Seq([Const(key) for key in value.items])
        if isinstance(value, Seq):
            items = list(value.items)
            made = Seq(items[::-1] if name == "reversed" and not value.more else items, value.more)
            made.sources = value.sources if name in ("list", "tuple", "iter") else made.sources
            return made
        held = isinstance(value, Obj) and value.made is not None and value.made.method in PARAMETERS
        if isinstance(value, Obj) and value.made is not None and name in ("list", "tuple", "iter") and not held:
            return value
        same = Obj("call", sources=(value,), node=event.node, made=event)
        same.attrs["[*]"] = self.element(value)
        if isinstance(value, Obj):
            same.label, same.parent = value.label, value.parent
        return same
