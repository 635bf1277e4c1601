"""Statements: a handler for each kind, and assignment to every kind of target."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from engines.review.flow.control import Control
from engines.review.flow.core import Ended
from engines.review.flow.kept import drop
from engines.review.flow.knowing import join, options
from engines.review.flow.ranks import alone, single_process
from engines.review.flow.values import UNKNOWN, Alt, Class, Const, Map, Obj, Seq, Value

EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit"})


class Statements(Control):
    """Executes statements."""

    def exec_block(self, body: Sequence[ast.stmt]) -> Ended:
        """Execute statements until one of them leaves the block."""
        for statement in body:
            self.step()
            handler = _HANDLERS.get(type(statement))
            if handler is not None:
                ended: Ended = handler(self, statement)
                if ended:
                    return ended
        return ""

    def _expression(self, node: ast.Expr) -> Ended:
        value = self.eval(node.value)
        made = value.made if isinstance(value, Obj) else None
        if made is not None and made.node is node.value:
            made.discarded, made.dropped_at = True, None
        if made is None or made.node is not node.value or made.qual in ("list", "tuple", "map"):
            for one in (value, *(value.items if isinstance(value, Seq) else ())):
                drop(one, self.frame.module, node)
            if isinstance(value, Obj) and value.qual in ("list", "tuple", "map") and "[*]" in value.attrs:
                drop(value.attrs["[*]"], self.frame.module, node)
        return "return" if isinstance(value, Obj) and value.qual in EXITS else ""

    def _assign(self, node: ast.Assign) -> Ended:
        value = self.eval(node.value)
        for target in node.targets:
            self.bind(target, value)
        return ""

    def _annotated(self, node: ast.AnnAssign) -> Ended:
        if node.value is not None:
            self.bind(node.target, self.eval(node.value))
        return ""

    def _augmented(self, node: ast.AugAssign) -> Ended:
        target: ast.expr = node.target
        value = self.eval(ast.BinOp(target, node.op, node.value, lineno=node.lineno, col_offset=0))
        event = self.emit("augment", node)
        event.receiver, event.name = value.sources[0] if value.sources else value, type(node.op).__name__
        self.record(event)
        if isinstance(node.target, ast.Name):
            self.bind(target, value)
        return ""

    def bind(self, target: ast.AST, value: Value) -> None:
        """Assign a value to a name, an attribute, a subscript or several of them."""
        if isinstance(target, ast.Name):
            self.frame.scope.vars[target.id] = value
            for item in value.items if isinstance(value, Seq) else ():
                if isinstance(item, Obj) and item.op == "call":
                    item.names.add(("", target.id))
            for option in options(value):
                if isinstance(option, Obj) and option is not UNKNOWN:
                    option.names.add((self.frame.module.path, target.id))
                    option.label = option.label or target.id
        elif isinstance(target, ast.Attribute):
            self._bind_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, Seq([self.element(value)], more=True))
        elif isinstance(target, ast.Tuple | ast.List):
            for index, part in enumerate(target.elts):
                self.bind(part, self._part(value, index, len(target.elts)))

    def _part(self, value: Value, index: int, count: int) -> Value:
        if isinstance(value, Alt):
            return join(*(self._part(option, index, count) for option in value.options))
        if isinstance(value, Seq) and not value.more and len(value.items) == count:
            return value.items[index]
        if isinstance(value, Obj) and value is not UNKNOWN:
            return self.get_item(value, Const(index)) if value.op != "call" else _piece(value, index)
        return UNKNOWN

    def _bind_attribute(self, target: ast.Attribute, value: Value) -> None:
        owner = self.eval(target.value)
        event = self.emit("setattr", target)
        event.receiver, event.name, event.args = owner, target.attr, (value,)
        self.record(event)
        for option in options(owner):
            if isinstance(option, Obj):
                self.set_attr(option, target.attr, value)
            elif isinstance(option, Class):
                known = option.member(target.attr)
                option.members[target.attr] = value if known is None or self.heap is None else join(known, value)
                if isinstance(value, Obj) and value.op == "call":
                    value.names.add(("", target.attr))

    def _bind_item(self, target: ast.Subscript, value: Value) -> None:
        owner = self.eval(target.value)
        key = self.eval(target.slice) if not isinstance(target.slice, ast.Slice) else UNKNOWN
        event = self.emit("setitem", target)
        event.receiver, event.args = owner, (key, value)
        self.record(event)
        self.store_item(owner, key, value, target)

    def _delete(self, node: ast.Delete) -> Ended:
        for target in node.targets:
            owner = self.eval(target.value) if isinstance(target, ast.Subscript) else None
            key = self.eval(target.slice) if isinstance(target, ast.Subscript) and isinstance(owner, Map) else None
            if isinstance(owner, Map) and isinstance(key, Const) and key.value in owner.items:
                self.take_out(owner, key)
        return ""

    def _return(self, node: ast.Return) -> Ended:
        value = self.eval(node.value) if node.value is not None else Const(None)
        own = self.guards[self.frame.guards_below :]
        if any(guard.arm == 1 and single_process(guard.test) for guard in own):
            value = alone(value)
        self.frame.returns.append(value)
        self.frame.parted = self.frame.parted or any(guard.divergent for guard in own)
        self._jump("return", node, value)
        return "return"

    def _raise(self, node: ast.Raise) -> Ended:
        self._jump("raise", node, *([self.eval(node.exc)] if node.exc is not None else []))
        return "raise"

    def _continue(self, node: ast.Continue) -> Ended:
        self._jump("continue", node)
        return "continue"

    def _break(self, node: ast.Break) -> Ended:
        self._jump("break", node)
        return "break"

    def _jump(self, name: str, node: ast.AST, *values: Value) -> None:
        event = self.emit("jump", node)
        event.name, event.args = name, values
        self.record(event)

    def _assert(self, node: ast.Assert) -> Ended:
        holds, _ = self.guard_pair(self.test(node.test), node)
        self.guards = (*self.guards, holds._replace(kind="assert", divergent=False))
        return ""


def _piece(value: Obj, index: int) -> Value:
    """One part of an unknown call's tuple result; the same part each time."""
    found = value.attrs.get(f"[{index}]")
    if found is None:
        found = Obj("item", f"{value.label}[{index}]", sources=(value,), node=value.node, made=value.made)
        value.attrs[f"[{index}]"] = found
    return found


_HANDLERS: dict[type, Callable[[Any, Any], Ended]] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.If: Statements._if,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Try: Statements._try,
    ast.TryStar: Statements._try,
    ast.Match: Statements._match,
    ast.Delete: Statements._delete,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Continue: Statements._continue,
    ast.Break: Statements._break,
    ast.Assert: Statements._assert,
    ast.FunctionDef: Statements._function,
    ast.AsyncFunctionDef: Statements._function,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
}
