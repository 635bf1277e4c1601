"""Definitions: functions, classes, imports, modules and what a class says of its instances."""

from __future__ import annotations

import ast

from engines.review.flow.attributes import external
from engines.review.flow.core import (
    MAX_STATEMENTS_PER_MODULE,
    MAX_STATEMENTS_PER_RUN,
    MAX_STATEMENTS_PER_TEMPLATE,
    BudgetSpent,
    Decoration,
    Ended,
    Frame,
)
from engines.review.flow.expressions import Expressions
from engines.review.flow.knowing import join, options
from engines.review.flow.parsing import Unparsable
from engines.review.flow.project import Module
from engines.review.flow.ranks import ONLY_MAIN, by_name
from engines.review.flow.trace import qualname
from engines.review.flow.values import Class, Const, Ext, Function, Map, ModuleRef, Obj, Scope, Seq, Value

DEFAULT = "[default]"
"""Attribute of a parameter of a function that nobody calls: its default."""


class Definitions(Expressions):
    """Executes definitions and imports."""

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Ended:
        self._remember_decorators(node)
        plain = Function(node, self.frame.module, self.frame.scope)
        self.frame.scope.vars[node.name] = self._decorated(plain)
        return ""

    def _decorated(self, function: Function) -> Value:
        """Return what the project's own decorators make of a function, itself where that cannot be followed."""
        key = function.key
        for item in reversed(self.decorations.get(key, ())):
            if not isinstance(item.value, Function) or ONLY_MAIN.match(item.name):
                continue
            made = self.call(item.value, (function,), {}, function.node)
            if isinstance(made, Function) and made.node is not function.node and _calls_once(made, item.value):
                self.stand_ins[key] = made
                return Function(made.node, made.module, made.scope, function.owner, function.bound)
        return function

    def _remember_decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        key = (self.frame.module.path, node.lineno, node.col_offset)
        if node.decorator_list and key not in self.decorations:
            found = []
            for decorator in node.decorator_list:
                plain = decorator.func if isinstance(decorator, ast.Call) else decorator
                name = plain.attr if isinstance(plain, ast.Attribute) else getattr(plain, "id", "")
                found.append(Decoration(name, self.eval(decorator)))
            self.decorations[key] = tuple(found)

    def _class(self, node: ast.ClassDef) -> Ended:
        cls = Class(node, self.frame.module, tuple(self.eval(base) for base in node.bases))
        outer = self.frame.scope
        self.frame.scope = Scope(outer)
        for item in node.body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                self._remember_decorators(item)
                self.frame.scope.vars[item.name] = self._decorated(Function(item, self.frame.module, outer, cls))
            elif not isinstance(item, ast.Expr):
                self.exec_block([item])
        cls.members = self.frame.scope.vars
        self.frame.scope = outer
        outer.vars[node.name] = cls
        return ""

    def _import(self, node: ast.Import) -> Ended:
        module = self.frame.module
        for alias in node.names:
            found = self.project.resolve(alias.name, module)
            if found is not None:
                self._import_module(alias, found)
                continue
            module.imports.append((alias.name, node))
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            self.frame.scope.vars[alias.asname or top] = external(top)
        return ""

    def _import_module(self, alias: ast.alias, found: Module) -> None:
        parts = alias.name.split(".")
        if alias.asname or len(parts) == 1:
            self.frame.scope.vars[alias.asname or parts[0]] = ModuleRef(found)
            return
        top = self.project.resolve(parts[0], self.frame.module)
        if top is not None:
            self.frame.scope.vars[parts[0]] = ModuleRef(top)
            return
        holder = Obj("attr", parts[0])
        self.frame.scope.vars[parts[0]] = holder
        for part in parts[1:-1]:
            step = Obj("attr", part)
            holder.attrs[part] = step
            holder = step
        holder.attrs[parts[-1]] = ModuleRef(found)

    def _import_from(self, node: ast.ImportFrom) -> Ended:
        module = self.frame.module
        dotted = node.module or ""
        found = self.project.resolve(dotted, module, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            value = self._imported(found, dotted, alias.name, node)
            if value is not None:
                self.frame.scope.vars[name] = value
            if alias.name == "*" and found is not None:
                self.exec_module(found)
                self.frame.scope.vars.update({k: v for k, v in found.scope.vars.items() if not k.startswith("_")})
        return ""

    def _imported(self, found: Module | None, dotted: str, name: str, node: ast.ImportFrom) -> Value | None:
        module = self.frame.module
        sub = self.project.resolve(f"{dotted}.{name}".strip("."), module, node.level)
        if found is not None:
            self.exec_module(found)
            known = found.scope.vars.get(name)
            if known is not None or sub is None:
                return known if known is not None or name == "*" else Obj("attr", name, rank=by_name(name))
        if sub is not None:
            return ModuleRef(sub)
        if node.level:
            return external("." * node.level + f"{dotted}.{name}")
        module.imports.append((f"{dotted}.{name}", node))
        return external(f"{dotted}.{name}") if name != "*" else None

    def exec_module(self, module: Module) -> None:
        """Execute a module's top level once; the code of `if __name__ == "__main__"` too."""
        if module.executed:
            return
        module.executed = True
        saved = (self.frame, self.stack, self.guards, self.loops, self.withs, self.heap)
        run = (self.run, self.statements, self.limit, self.visits)
        self.frame, self.stack, self.guards, self.loops, self.withs = Frame(module, module.scope), (), (), (), ()
        self.heap = None
        self.muted += module.released
        self.begin_run(f"module {module.path}")
        try:
            self.exec_block(module.tree.body)
        except Unparsable:
            pass  # the module says why
        except (BudgetSpent, RecursionError) as err:
            self.note(module.tree, "too deep" if isinstance(err, RecursionError) else "more paths than are followed")
        finally:
            self.muted -= module.released
            self.frame, self.stack, self.guards, self.loops, self.withs, self.heap = saved
            self.run, self.statements, self.limit, self.visits = run

    def begin_run(self, what: str, after: frozenset[int] = frozenset()) -> int:
        """Start a run with fresh budgets and return its number.

        Args:
            what: What is executed, for people.
            after: Runs that certainly come before it.
        """
        self.trace.roots[len(self.trace.roots) + 1] = what
        self.run = len(self.trace.roots)
        self.trace.after[self.run] = after
        self.spent += self.statements
        self.statements = 0
        self.limit = min(MAX_STATEMENTS_PER_RUN, max(MAX_STATEMENTS_PER_MODULE - self.spent, 0))
        self.visits = {}
        return self.run

    def template(self, cls: Class) -> Obj:
        """Return an instance of a class, made with unknown arguments and without events."""
        if cls.template is None:
            cls.template = Obj("new", cls.node.name, cls=cls, node=cls.node, symbolic=True)
            init = cls.member("__init__")
            if isinstance(init, Function):
                self._initialise_muted(cls.template, init)
        return cls.template

    def _initialise_muted(self, instance: Obj, init: Function) -> None:
        """Run `__init__` for the attributes alone: no events, a small budget of its own."""
        saved = (self.stack, self.statements, self.limit, self.heap)
        self.stack, self.statements, self.limit, self.heap = (), 0, MAX_STATEMENTS_PER_TEMPLATE, None
        self.muted += 1
        try:
            args, kwargs = self.unknown_arguments(init, skip=1)
            bound = Function(init.node, init.module, init.scope, init.owner, instance)
            self.inline(bound, args, kwargs, init.node)
        except (BudgetSpent, RecursionError):
            self.not_followed.append(
                f"{init.module.path}:{init.node.lineno}: could not be followed: "
                f"{instance.label}.__init__ takes too much"
            )
        finally:
            self.muted -= 1
            self.stack, self.statements, self.limit, self.heap = saved

    def unknown_arguments(self, function: Function, skip: int = 0) -> tuple[tuple[Value, ...], dict[str, Value]]:
        """Return arguments of which only name and annotation are known.

        Args:
            function: The function that is to be called with them.
            skip: Leading parameters that are bound already (self, cls).
        """
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args][skip:]
        defaults = self.defaults(function)
        args = tuple(self._unknown(arg, function, defaults.get(arg.arg)) for arg in positional)
        kwargs = {arg.arg: self._unknown(arg, function, defaults.get(arg.arg)) for arg in arguments.kwonlyargs}
        if arguments.kwarg is not None:
            kwargs["**"] = Obj("param", arguments.kwarg.arg, symbolic=True)
        return args, kwargs

    def _unknown(self, arg: ast.arg, function: Function, default: Value | None) -> Value:
        if isinstance(default, Ext | Class) or (isinstance(default, Seq) and default.items):
            return default
        made = Obj("param", arg.arg, node=arg, rank=by_name(arg.arg), symbolic=True)
        made.home = (function.module.path, arg.arg)
        made.names.add(made.home)
        made.cls = self._annotated_class(arg.annotation, function)
        if default is not None:
            made.attrs[DEFAULT] = default
        return made

    def _annotated_class(self, annotation: ast.expr | None, function: Function) -> Class | None:
        name = annotation
        if isinstance(name, ast.BinOp):
            name = name.left
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            value = function.scope.find(name.value)
        elif isinstance(name, ast.Name):
            value = function.scope.find(name.id)
        else:
            return None
        return value if isinstance(value, Class) else None

    def store_item(self, owner: Value, key: Value, value: Value, node: ast.AST) -> None:
        """Write a subscript."""
        constant = key.value if isinstance(key, Const) else None
        for option in options(owner):
            if isinstance(option, Map):
                if isinstance(constant, str | int):
                    option.put({constant: value}, on_path=self.heap is not None)
                    option.more = option.more or option.by_path
                elif not isinstance(key, Const):
                    option.open_up()
                    option.key, option.rest = key, join(option.rest, value)
                option.sources += (value,)
            elif isinstance(option, Obj):
                if isinstance(constant, str | int):
                    self.set_attr(option, f"[{constant!r}]", value)
                elif isinstance(value, Obj) and value.inner is not None and value.inner is option.attrs.get("[*]"):
                    option.attrs["[*]"] = value  # each element is replaced by its wrapper
            elif qualname(option) == "os.environ":
                event = self.emit("setattr", node)
                event.receiver, event.name, event.args = option, str(constant), (value,)
                self.record(event)


def _calls_once(wrapper: Function, decorator: Function) -> bool:
    """Tell whether a wrapper calls what it wraps at one place; where at several, every path has it."""
    names = [arg.arg for arg in (*decorator.node.args.posonlyargs, *decorator.node.args.args)][:1]
    calls = [part.func for part in ast.walk(wrapper.node) if isinstance(part, ast.Call)]
    return sum(isinstance(func, ast.Name) and func.id in names for func in calls) == 1
