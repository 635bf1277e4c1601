"""Parameters: what a call hands over, and what a function makes of it."""

from __future__ import annotations

import ast

from engines.review.flow.core import Core, Frame
from engines.review.flow.knowing import join, options
from engines.review.flow.ranks import by_name
from engines.review.flow.values import Const, Function, Map, Obj, Scope, Seq, Value


class Parameters(Core):
    """Arguments of calls and parameters of functions."""

    def arguments(self, node: ast.Call) -> tuple[tuple[Value, ...], dict[str, Value]]:
        """Evaluate the arguments of a call; "*" and "**" mark that there may be more of them."""
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        for argument in node.args:
            value = self.eval(argument)
            if isinstance(argument, ast.Starred):
                args.extend(value.items if isinstance(value, Seq) else ())
                if not isinstance(value, Seq) or value.more:
                    kwargs.setdefault("*", value)
            else:
                args.append(value)
        for keyword in node.keywords:
            value = self.eval(keyword.value)
            if keyword.arg is not None:
                kwargs[keyword.arg] = value
            else:
                self._unpack(value, kwargs)
        return tuple(args), kwargs

    def _unpack(self, value: Value, kwargs: dict[str, Value]) -> None:
        """Add what `**value` gives; "**" marks that there may be more.

        An argument that one of several known dictionaries lacks may be absent: one of its values is None.
        """
        found = [option for option in options(value) if isinstance(option, Map)]
        if len(found) != len(options(value)) or any(option.more or option.by_path for option in found):
            kwargs["**"] = value
        for name in dict.fromkeys(name for option in found for name in option.items):
            given = [option.items.get(name) for option in found]
            if None not in given or "**" not in kwargs:
                kwargs[str(name)] = join(*(Const(None) if one is None else one for one in given))

    def bind_parameters(
        self, function: Function, scope: Scope, args: tuple[Value, ...], kwargs: dict[str, Value]
    ) -> None:
        """Give a function's parameters the values of a call, or their defaults."""
        arguments = function.node.args
        given = (function.bound, *args) if function.bound is not None else args
        names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
        rest = dict(kwargs)
        for name, value in zip(names, given, strict=False):
            scope.vars[name] = value
        if arguments.vararg is not None:
            scope.vars[arguments.vararg.arg] = Seq(list(given[len(names) :]), more="*" in kwargs)
        for name in (*names, *(arg.arg for arg in arguments.kwonlyargs)):
            if name in rest:
                scope.vars[name] = rest.pop(name)
        if arguments.kwarg is not None:
            more = "**" in rest
            scope.vars[arguments.kwarg.arg] = Map({k: v for k, v in rest.items() if k not in ("*", "**")}, more)
        self._bind_defaults(function, scope, kwargs)

    def _bind_defaults(self, function: Function, scope: Scope, kwargs: dict[str, Value]) -> None:
        unknown = "*" in kwargs or "**" in kwargs
        for arg, default in _defaults(function):
            if arg.arg in scope.vars:
                continue
            if default is not None and not unknown:
                scope.vars[arg.arg] = self.eval(default)
            else:
                scope.vars[arg.arg] = Obj("param", arg.arg, rank=by_name(arg.arg), symbolic=True)

    def defaults(self, function: Function) -> dict[str, Value]:
        """Return the defaults of a function's parameters, read where the function is defined."""
        written = [(arg.arg, default) for arg, default in _defaults(function) if default is not None]
        if not written:
            return {}
        saved, self.frame = self.frame, Frame(function.module, Scope(function.scope))
        try:
            return {name: self.eval(default) for name, default in written}
        finally:
            self.frame = saved


def _defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    padding = [None] * (len(positional) - len(arguments.defaults))
    pairs: list[tuple[ast.arg, ast.expr | None]] = [*zip(positional, [*padding, *arguments.defaults], strict=True)]
    return [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
