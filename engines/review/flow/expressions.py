"""Expressions: what each of them evaluates to."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from engines.review.flow.comprehensions import Comprehensions
from engines.review.flow.knowing import join
from engines.review.flow.ranks import by_name, inherited, operator
from engines.review.flow.values import UNKNOWN, Alt, Const, Ext, Function, Map, Obj, RankKind, Seq, Value

_BUILTINS = frozenset(dir(builtins))
_TRUTHS = ("compare", "not", "bool")


class Expressions(Comprehensions):
    """Evaluates expressions; a handler for each kind of node, found by name once."""

    def eval(self, node: ast.AST) -> Value:
        """Evaluate an expression."""
        handler = _HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else UNKNOWN

    def _constant(self, node: ast.Constant) -> Value:
        return Const(node.value, node.lineno)

    def _name(self, node: ast.Name) -> Value:
        found = self.frame.scope.find(node.id)
        if found is not None:
            return found
        if node.id in _BUILTINS:
            return Ext(node.id, node.id)
        found = Obj("param", node.id, rank=by_name(node.id), symbolic=True)
        found.home = (self.frame.module.path, node.id)
        found.names.add(found.home)
        self.frame.module.scope.vars[node.id] = found
        return found

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.eval(node.value)
        if node.attr == "module" and isinstance(owner, Obj | Alt):
            event = self.emit("read", node)
            event.receiver, event.name = owner, node.attr
            self.record(event)
        return self.get_attr(owner, node.attr)

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.eval(node.left), self.eval(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, Const) and isinstance(left.value, str):
            self._percent(left.value, right, node)
        if isinstance(node.op, ast.Add) and isinstance(left, Seq) and isinstance(right, Seq):
            return Seq(left.items + right.items, left.more or right.more)
        label = "+" if isinstance(node.op, ast.Add) else type(node.op).__name__
        return Obj("expr", label, sources=(left, right), node=node, rank=_rank_of(node.op, left, right))

    def _percent(self, template: str, value: Value, node: ast.AST) -> None:
        if "%" in template.replace("%s", "").replace("%%", ""):
            event = self.emit("format", node)
            event.args = tuple(value.items) if isinstance(value, Seq) else (value,)
            event.name = template
            self.record(event)

    def _boolop(self, node: ast.BoolOp) -> Value:
        if isinstance(node.op, ast.Or):
            given = self._first_given(node)
            if given is not None:
                return given
        values = self._operands(node)
        if any(isinstance(value, Obj) and (value.op in _TRUTHS or value.rank == "main") for value in values):
            return self._truth(node, values)
        return join(*values)

    def _first_given(self, node: ast.BoolOp) -> Value | None:
        """`module or self`: what a parameter was given, or what stands for it where it was not."""
        first = node.values[0]
        value = self.frame.scope.vars.get(first.id) if isinstance(first, ast.Name) else None
        if value is None or not isinstance(first, ast.Name) or self.frame.bound.get(first.id) is not value:
            return None
        if isinstance(value, Const) and not value.value and len(node.values) == 2:
            return self.eval(node.values[1])
        return value if isinstance(value, Obj) and value.op in ("new", "attr", "elem") and not value.rank else None

    def _operands(self, node: ast.BoolOp) -> tuple[Value, ...]:
        """Evaluate operands; a call is under the condition of those before it."""
        before = self.guards
        values: list[Value] = []
        for operand in node.values:
            if values and isinstance(operand, ast.Call):
                holds, fails = self.guard_pair(values[-1], node)
                self.guards = (*self.guards, holds if isinstance(node.op, ast.And) else fails)
            values.append(self.eval(operand))
        self.guards = before
        return tuple(values)

    def _truth(self, node: ast.BoolOp, values: tuple[Value, ...]) -> Value:
        return Obj("bool", "and" if isinstance(node.op, ast.And) else "or", sources=values, node=node)

    def test(self, node: ast.AST) -> Value:
        """Evaluate a condition; `and` and `or` keep their operands."""
        if isinstance(node, ast.BoolOp):
            return self._truth(node, tuple(self.test(operand) for operand in node.values))
        return self.eval(node)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Obj("not", "not", sources=(self.test(node.operand),), node=node)
        value = self.eval(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(value, Const) and isinstance(value.value, int | float):
            return Const(-value.value)
        return self.derived(type(node.op).__name__, value, node=node)

    def _compare(self, node: ast.Compare) -> Value:
        left, pairs = self.eval(node.left), []
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.eval(comparator)
            pairs.append(Obj("compare", operator(op), sources=(left, right), node=node))
            event = self.emit("compare", node)
            event.args, event.name = (left, right), operator(op)
            self.record(event)
            left = right
        return pairs[0] if len(pairs) == 1 else Obj("bool", "and", sources=tuple(pairs), node=node)

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.eval(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            part = self.derived("slice", value, *(self.eval(bound) for bound in bounds if bound is not None), node=node)
            event = self.emit("slice", node)
            event.receiver, event.result = value, part
            self.record(event)
            return part
        return self.get_item(value, self.eval(node.slice))

    def _ifexp(self, node: ast.IfExp) -> Value:
        known = self.known_truth(node.test)
        if known is not None:
            return self.eval(node.body if known else node.orelse)
        holds, fails = self.guard_pair(self.test(node.test), node)
        before = self.guards
        self.guards = (*before, holds)
        first = self.eval(node.body)
        self.guards = (*before, fails)
        second = self.eval(node.orelse)
        self.guards = before
        return join(first, second)

    def _lambda(self, node: ast.Lambda) -> Value:
        return Function(node, self.frame.module, self.frame.scope)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        items: list[Value] = []
        more = False
        for item in node.elts:
            if not isinstance(item, ast.Starred):
                items.append(self.eval(item))
                continue
            value = self.eval(item.value)
            if isinstance(value, Seq):
                items, more = items + value.items, more or value.more
            else:
                items, more = [*items, self.element(value)], True
        return Seq(items, more)

    def _dict(self, node: ast.Dict) -> Value:
        items: dict[object, Value] = {}
        result = Map(items, node=node)
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.eval(value)
            if key is None:
                items.update(found.items if isinstance(found, Map) else {})
                result.more = result.more or not isinstance(found, Map) or found.more
                continue
            constant = self.eval(key)
            if isinstance(constant, Const) and isinstance(constant.value, str | int | float | bool | type(None)):
                items[constant.value] = found
            else:
                result.more = True
                result.sources += (found,)
        result.sources += tuple(items.values())
        if node.keys and result.more and not items:
            result.rest = join(*(source for source in result.sources))
        return result

    def _fstring(self, node: ast.JoinedStr) -> Value:
        parts: list[Value] = []
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                continue
            value = self.eval(part.value)
            parts.append(value)
            if part.format_spec is not None:
                event = self.emit("format", part)
                event.args = (value,)
                self.record(event)
        return self.derived("fstring", *parts, node=node) if parts else Const("")

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.eval(node.value)
        self.bind(node.target, value)
        return value

    def _inner(self, node: ast.Await | ast.Starred) -> Value:
        return self.eval(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Value:
        value = self.eval(node.value) if node.value is not None else Const(None)
        self.frame.yields.append(self.element(value) if isinstance(node, ast.YieldFrom) else value)
        self.frame.yield_withs = self.withs[self.frame.withs_below :]
        return UNKNOWN

    def _call_node(self, node: ast.Call) -> Value:
        return self.call_node(node)


def _rank_of(op: ast.operator, left: Value, right: Value) -> RankKind:
    """A rank modulo something is a number on the node or in a group, no longer the global rank."""
    rank = inherited((left, right))
    return "local" if rank == "global" and isinstance(op, ast.Mod | ast.FloorDiv) else rank


_HANDLERS: dict[type, Callable[[Any, Any], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call_node,
    ast.BinOp: Expressions._binop,
    ast.BoolOp: Expressions._boolop,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.Subscript: Expressions._subscript,
    ast.IfExp: Expressions._ifexp,
    ast.Lambda: Expressions._lambda,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.JoinedStr: Expressions._fstring,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._inner,
    ast.Starred: Expressions._inner,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
}
