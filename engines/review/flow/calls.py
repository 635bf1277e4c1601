"""Calls: which callee is meant, and following it where it is the project's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from engines.review.flow.attributes import Attributes
from engines.review.flow.core import (
    MADE_BY,
    MADE_WITHIN,
    MAX_DEPTH_CALLS,
    MAX_DEPTH_RECURSION,
    MAX_VISITS_PER_RUN,
    Frame,
)
from engines.review.flow.externals import Externals
from engines.review.flow.knowing import join, options, origins
from engines.review.flow.methods import Methods
from engines.review.flow.parameters import Parameters
from engines.review.flow.ranks import ONLY_MAIN, by_name, parted_by_rank
from engines.review.flow.trace import Guard, Site
from engines.review.flow.values import UNKNOWN, Alt, Class, Const, Ext, Function, Map, Obj, Scope, Seq, Value

_METHOD = re.compile(
    r"\.(forward|generate|encode_\w+|get_\w+_features|state_dict|parameters|named_parameters|step|no_sync"
    r"|backward|load_state_dict|clip_grad_norm_|clip_grad_value_)$"
)
"""Attributes that are methods, also where they were bound to a name before they are called."""
_CONFIGURES = re.compile(r"(Trainer|Arguments|Config|Plugin|Strategy)$")
"""Classes of libraries whose arguments are a configuration."""


class Calls(Attributes, Externals, Methods, Parameters):
    """Evaluates calls."""

    def call_node(self, node: ast.Call) -> Value:
        """Evaluate a call expression."""
        func = node.func
        if isinstance(func, ast.Attribute):
            receiver = self.eval(func.value)
            args, kwargs = self.arguments(node)
            return self.call_method(receiver, func.attr, args, kwargs, node)
        callee = self.eval(func)
        args, kwargs = self.arguments(node)
        return self.call(callee, args, kwargs, node)

    def call_method(
        self, receiver: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        """Call a method of a value by name."""
        if isinstance(receiver, Ext):
            return self.call(self.get_attr(receiver, name), args, kwargs, node)
        known: list[Value] = []
        for option in options(receiver):
            found = self._method(option, name)
            if found is not None:
                known.extend(options(found))
        followed = [callee for callee in known if isinstance(callee, Function | Class | Ext)]
        if followed:
            self._entered(receiver, name, args, node)
            return self._any_of(followed[:2], args, kwargs, node)
        called = [callee for callee in known if isinstance(callee, Obj) and _is_known_object(callee)]
        if called:
            return self.call(called[0], args, kwargs, node)
        return self._unknown_method(receiver, name, args, kwargs, node)

    def _unknown_method(
        self, receiver: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        event = self.emit("call", node)
        event.method, event.receiver, event.args, event.kwargs = name, receiver, args, kwargs
        result = self.method_result(event)
        event.result = result
        self.record(event)
        return result

    def _entered(self, receiver: Value, name: str, args: tuple[Value, ...], node: ast.AST) -> None:
        if any(isinstance(option, Obj) and option is not UNKNOWN for option in options(receiver)):
            event = self.emit("enter", node)
            event.receiver, event.name, event.args = receiver, name, args
            self.record(event)

    def _method(self, value: Value, name: str) -> Value | None:
        if isinstance(value, Obj):
            return self.known_attr(value, name) if value is not UNKNOWN else None
        if isinstance(value, Const | Seq | Map | Function):
            return None
        found = self.get_attr(value, name)
        return None if found is UNKNOWN or (isinstance(found, Obj) and found.op == "expr") else found

    def call(self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        """Call a value."""
        if isinstance(callee, Function):
            return self.inline(callee, args, kwargs, node)
        if isinstance(callee, Class):
            return self._instantiate(callee, args, kwargs, node)
        if isinstance(callee, Alt):
            return self._any_of(callee.options[:3], args, kwargs, node)
        if isinstance(callee, Obj) and callee.op == "partial" and callee.made is not None:
            made = callee.made
            return self.call(made.args[0], made.args[1:] + args, {**made.kwargs, **kwargs}, node)
        if isinstance(callee, Obj) and callee.cls is not None:
            method = callee.cls.member("__call__")
            if isinstance(method, Function):
                bound = Function(method.node, method.module, method.scope, method.owner, callee)
                return self.inline(bound, args, kwargs, node)
        if (
            isinstance(callee, Obj)
            and callee.op == "attr"
            and callee.parent is not None
            and _METHOD.search(callee.label)
        ):
            return self._unknown_method(callee.parent, callee.label.rpartition(".")[2], args, kwargs, node)
        event = self.emit("call", node)
        event.callee, event.args, event.kwargs = callee, args, kwargs
        if isinstance(callee, Ext):
            event.qual = callee.name
            event.result = self.external_result(callee, event)
        else:
            rank = by_name(callee.label.rpartition(".")[2]) if isinstance(callee, Obj) else ""
            event.result = Obj("call", sources=(callee, *args, *kwargs.values()), node=node, made=event, rank=rank)
        self.record(event)
        return event.result

    def _any_of(
        self, callees: Sequence[Value], args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        """Call one of several callees: each on a path of its own."""
        if len(callees) == 1:
            return self.call(callees[0], args, kwargs, node)
        guards, results = self.guards, []
        self.branches += 1
        branch = self.branches  # what is called has branches of its own
        for arm, callee in enumerate(callees):
            guard = Guard(branch, arm, node, self.frame.module, callee, None, False, len(self.stack))
            self.guards = (*guards, guard)
            results.append(self.call(callee, args, kwargs, node))
        self.guards = guards
        return join(*results)

    def _instantiate(self, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        obj = Obj("new", cls.node.name, cls=cls, node=node, sources=(*args, *kwargs.values()))
        if self.withs:
            obj.attrs[MADE_WITHIN] = Seq(list(self.withs))
        init = cls.member("__init__")
        if isinstance(init, Function):
            self.inline(Function(init.node, init.module, init.scope, init.owner, obj), args, kwargs, node)
            return obj
        self._configured(cls, obj, args, kwargs, node)
        fields = [name for name in map(_field, cls.node.body) if name]
        for name, value in [*zip(fields, args, strict=False), *kwargs.items()]:
            obj.attrs[name] = value
        return obj

    def _configured(
        self, cls: Class, obj: Obj, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST
    ) -> None:
        """A Trainer's own subclass, or that of its arguments, takes what the library's class takes."""
        known = [link for link in cls.linear() if isinstance(link, Ext) and _CONFIGURES.search(link.name)]
        if known:
            event = self.emit("call", node)
            event.qual, event.args, event.kwargs, event.result = known[0].name, args, kwargs, obj
            obj.made = event
            self.record(event)

    def inline(self, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        """Follow a call of a project's function; UNKNOWN where it leads too far."""
        key = function.key
        closure = function.scope is not function.module.scope
        if key in self.dull and not closure:
            return self.dull[key]
        if self._goes_round(function, args):
            return self.derived("recursion", *args)
        visit = (*key, id(function.scope))
        if len(self.stack) >= MAX_DEPTH_CALLS or self.visits.get(visit, 0) >= MAX_VISITS_PER_RUN:
            return Obj("expr", function.name, sources=(*args, *kwargs.values()), rank=by_name(function.name))
        self.visits[visit] = self.visits.get(visit, 0) + 1
        if not self.muted:
            self.entered.add(key)
        saved = (self.frame, self.stack, self.guards, self.withs)
        loud = self.loud
        frame = Frame(function.module, Scope(function.scope), function, function.bound)
        frame.withs_below, frame.guards_below = len(self.withs), len(self.guards)
        self._decorate(function)
        self.stack = (*self.stack, Site(self.frame.module, node, function))
        self.frame = frame
        try:
            self.bind_parameters(function, frame.scope, args, kwargs)
            frame.bound = dict(frame.scope.vars)
            if isinstance(function.node, ast.Lambda):
                frame.returns.append(self.eval(function.node.body))
            else:
                self.exec_block(function.node.body)
        finally:
            self.frame, self.stack, self.guards, self.withs = saved
        result = _result(frame)
        if not closure and self.loud == loud and _is_plain(result) and not _hands_back(result, args):
            self.dull[key] = result
        return result

    def _goes_round(self, function: Function, args: tuple[Value, ...]) -> bool:
        """Tell whether a function is in a call of itself already; walks over a tree are followed one level."""
        above = [s for s in self.stack if s.callee.node is function.node and s.callee.scope is function.scope]
        if len(above) != 1 or len(self.stack) > MAX_DEPTH_RECURSION:
            return bool(above)
        return not any(isinstance(arg, Obj) and arg.op in ("elem", "descendant") for arg in args)

    def _decorate(self, function: Function) -> None:
        for item in self.decorations.get(function.key, ()):
            if ONLY_MAIN.match(item.name):
                guard = self.guard_pair(Obj("bool", item.name, rank="main"), function.node)[0]
                self.guards = (*self.guards, guard._replace(kind="decorator", depth=guard.depth + 1))
            else:
                self.withs = (*self.withs, item.value)


def _is_known_object(callee: Obj) -> bool:
    """An attribute of which nothing is known but its name is a method as well as a module."""
    return callee.op != "attr" or bool(callee.made or callee.cls or callee.inner or callee.attrs or callee.names)


def _field(item: ast.stmt) -> str:
    """Return the name of a dataclass field, "" for anything else."""
    return item.target.id if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) else ""


def _result(frame: Frame) -> Value:
    if frame.yields:
        made = Obj("expr", "generator", sources=tuple(frame.yields))
        made.attrs["[*]"] = join(*frame.yields)
        made.attrs["yield"] = Seq(list(frame.yield_withs))
        made.attrs[MADE_BY] = frame.function or UNKNOWN
        return made
    result = join(*frame.returns) if frame.returns else Const(None)
    return parted_by_rank(result) if frame.parted else result


def _is_plain(result: Value) -> bool:
    """Tell whether a result is a literal or a condition, which does not hand an argument back."""
    return all(
        (isinstance(option, Const) and option.value is not None)
        or (isinstance(option, Obj) and option.op in ("compare", "not"))
        for option in options(result)
    )


def _hands_back(result: Value, args: tuple[Value, ...]) -> bool:
    made_from = {id(source) for source in origins(result, 30)}
    return any(isinstance(argument, Obj) and id(argument) in made_from for argument in args)
