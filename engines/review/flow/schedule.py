"""Schedule: what is executed, in which order, and which traces come of it."""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engines.review.flow.core import MAX_STATEMENTS_PER_MODULE, BudgetSpent, Frame
from engines.review.flow.lifetimes import done_after
from engines.review.flow.machine import Machine
from engines.review.flow.parsing import Unparsable
from engines.review.flow.project import Module, Project
from engines.review.flow.trace import Trace
from engines.review.flow.values import Class, Function, Obj, Place, Scope, Value

_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_TEST = re.compile(r"test_|Test[A-Z_]")
"""What a test runner calls: it builds what must fail, and reads what a test need not gather."""
_WORD = re.compile(r"[A-Za-z_]\w*")
BYTES_PER_COLLECTION = 48 * 2**20
"""Memory that may wait for the collector, since a collection looks at everything that is alive."""
BYTES_PER_CHARACTER = 40
"""Memory of the tree of source, for each of its characters; measured on the rules' fixtures."""
BYTES_PER_EVENT = 1_500
"""Memory of an event with the values that it was made with; measured on training code."""
MAX_RUNS_PER_MODULE = 300
"""Functions and methods of one file that are executed on their own."""


class Schedule:
    """Executes a project module by module.

    A module's top level runs first. Then its functions and classes run that nobody has
    called so far, with arguments of which only the names are known: those that no text
    refers to first, since they are likely to be entry points.
    """

    def __init__(self, project: Project) -> None:
        self.machine = Machine(project)
        self.project = project
        self._words: Counter[str] = Counter()
        self._waiting_bytes = 0
        """Memory that was dropped since the last collection."""

    def traces(self) -> Iterator[tuple[Module, Trace]]:
        """Yield a trace for each relevant module, importers first."""
        relevant = self.project.relevant()
        for module in relevant:
            self._words.update(_WORD.findall(module.text))
        for module, done in zip(relevant, done_after(relevant, self.project.reached_from), strict=True):
            self.machine.trace = Trace()
            self.machine.spent = self.machine.statements = 0
            self._read(module)
            self.machine.trace.modules.append(module)
            if not module.broken:
                yield module, self.machine.trace
            self._forget(done)

    def _forget(self, done: Iterable[Module]) -> None:
        """Drop what no later module leads to, and collect it once it is worth the time."""
        machine = self.machine
        self._waiting_bytes += BYTES_PER_EVENT * len(machine.trace.events)
        machine.trace = Trace()
        machine.frame = Frame(Module("", "", ast.Module([], [])), Scope())
        for module in done:
            machine.forget(module)
            self._waiting_bytes += BYTES_PER_CHARACTER * len(module.text)
        if self._waiting_bytes > BYTES_PER_COLLECTION:
            self._waiting_bytes = 0
            gc.collect()

    def _read(self, module: Module) -> None:
        machine = self.machine
        machine.exec_module(module)
        before = frozenset(machine.trace.roots)
        try:
            definitions = list(_definitions(module.tree.body))
        except Unparsable:
            return
        if _TEST_FILE.search(module.path):
            definitions = [node for node in definitions if not _TEST.match(node.name)]
        definitions.sort(key=lambda node: self._words[node.name] > 1)
        for node in definitions[:MAX_RUNS_PER_MODULE]:
            if machine.spent + machine.statements >= MAX_STATEMENTS_PER_MODULE:
                machine.not_followed.append(f"{module.path}:{node.lineno}: could not be followed: the rest is too much")
                return
            value = module.scope.vars.get(node.name)
            place = (module.path, node.lineno, node.col_offset)
            if isinstance(value, Function) and (value.node is node or place in machine.stand_ins):
                self._run_function(value, before, place)
            elif isinstance(value, Class) and value.node is node:
                self._run_class(value, before)

    @contextmanager
    def _bounded(self, node: ast.AST, module: Module) -> Iterator[None]:
        """End a run that takes too much, with a note."""
        machine = self.machine
        machine.frame = Frame(module, module.scope)
        name = getattr(node, "name", "it")
        try:
            yield
        except BudgetSpent:
            machine.note(node, f"{name} has more paths than are followed")
        except RecursionError:
            machine.note(node, f"{name} is nested too deeply")
        machine.reset()

    def _run_function(self, function: Function, before: frozenset[int], key: Place | None = None) -> frozenset[int]:
        """Execute a function that nobody called, with unknown arguments; return the run's number.

        Args:
            function: What its name stands for: itself, or what a decorator made of it.
            before: Runs that come before.
            key: Its own place.
        """
        machine = self.machine
        if (key or function.key) in machine.entered:
            return frozenset()
        run = machine.begin_run(function.name, before)
        with self._bounded(function.node, function.module):
            args, kwargs = machine.unknown_arguments(function, 1 if function.bound is not None else 0)
            machine.inline(function, args, kwargs, function.node)
        return frozenset({run})

    def _run_class(self, cls: Class, before: frozenset[int]) -> None:
        """Execute `__init__` and then each method that nobody called, on one instance."""
        machine = self.machine
        methods = [
            member
            for member in cls.members.values()
            if isinstance(member, Function) and member.owner is cls and not isinstance(member.node, ast.Lambda)
        ]
        if not any(method.key not in machine.entered for method in methods):
            return
        instance = Obj("new", cls.node.name, cls=cls, node=cls.node, symbolic=True)
        init = cls.member("__init__")
        if isinstance(init, Function):
            bound = Function(init.node, init.module, init.scope, init.owner, instance)
            before |= self._initialise(bound, before)
        methods.sort(key=lambda method: self._words[method.name] > 1)
        for method in methods:
            if method.key not in machine.entered and method.name != "__init__":
                member = self._bound(instance, method)
                if member is not None:
                    self._run_function(member, before)

    def _bound(self, instance: Obj, method: Function) -> Function | None:
        """Return a method of an instance; a property is executed by asking for it."""
        found: Value | None = None
        with self._bounded(method.node, method.module):
            found = self.machine.known_attr(instance, method.name)
        return found if isinstance(found, Function) else None

    def _initialise(self, init: Function, before: frozenset[int]) -> frozenset[int]:
        """Execute `__init__`, without events where some caller's run has had them."""
        machine = self.machine
        known = init.key in machine.entered
        machine.entered.discard(init.key)
        machine.muted += int(known)
        run = self._run_function(init, before)
        machine.muted -= int(known)
        machine.entered.add(init.key)
        return run


def _definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, part, []))
