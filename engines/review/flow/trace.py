"""Trace: what a program calls, in order, with the conditions under which it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Literal, NamedTuple

from engines.review.flow.knowing import options
from engines.review.flow.project import Module
from engines.review.flow.values import Alt, Const, Function, Obj, Value

EventKind = Literal["call", "enter", "slice", "setattr", "augment", "format", "jump", "compare", "read", "setitem"]
"""call: a callable outside the project, a method of an unknown object, or an object itself;
enter: a method of the project's own that is followed; setattr: `x.name = value`; setitem: `x[key] = value`;
augment: `x += value`; slice: `x[a:b:c]`; format: a value in an f-string or % with a format specification;
jump: return, continue, break or raise; compare: a comparison; read: an attribute `module` is asked for."""


_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.py$")


class Site(NamedTuple):
    """A call of a project's function that led to an event."""

    module: Module
    node: ast.AST
    callee: Function


GuardKind = Literal["if", "except", "decorator", "assert", "return", "skip"]
"""return: the rest of a function after an arm that leaves it; skip: the rest of a loop's body
after an arm that goes on to the next item or out of the loop; assert: the rest of the block
after an assertion."""


class Guard(NamedTuple):
    """An arm of a branch that an event depends on."""

    branch: int
    """Number of this execution of the branch."""
    arm: int
    """0 where the test holds, 1 where it does not; the case's index for `match`."""
    node: ast.AST
    module: Module
    test: Value
    key: Hashable
    """Equal for two conditions that say the same; None where that is not known."""
    divergent: bool
    """True where only some ranks can be in this arm."""
    depth: int
    """Number of call sites above the branch."""
    kind: GuardKind = "if"
    """What made it."""


class Event:
    """Something that happens."""

    __slots__ = (
        "args", "callee", "discarded", "dropped_at", "guards", "kind", "kwargs", "loops", "method", "module",
        "name", "node", "qual", "receiver", "result", "run", "seq", "stack", "tries", "withs",
    )  # fmt: skip

    def __init__(self, kind: EventKind, seq: int, run: int, node: ast.AST, module: Module) -> None:
        self.kind = kind
        self.seq = seq
        self.run = run
        self.node = node
        self.module = module
        self.stack: tuple[Site, ...] = ()
        self.guards: tuple[Guard, ...] = ()
        self.loops: tuple[ast.AST, ...] = ()
        self.withs: tuple[Value, ...] = ()
        self.tries: tuple[ast.Try | ast.TryStar, ...] = ()
        """`try` statements whose bodies it is in."""
        self.discarded = False
        """True for a call whose result nobody takes."""
        self.dropped_at: tuple[Module, ast.AST] | None = None
        """The statement that does not take it, where a function has returned it."""
        self.qual = ""
        """Canonical name of an external callable."""
        self.method = ""
        """Name of a method of an object outside the project."""
        self.name = ""
        """setattr: the attribute; jump: return, continue, break, raise; compare and augment: the operator."""
        self.callee: Value | None = None
        self.receiver: Value | None = None
        self.args: tuple[Value, ...] = ()
        self.kwargs: dict[str, Value] = {}
        self.result: Value | None = None

    @property
    def line(self) -> int:
        """1-based line."""
        return getattr(self.node, "lineno", 1)

    def arg(self, index: int, name: str) -> Value | None:
        """Return an argument by position or name, None where it is absent."""
        if index < len(self.args):
            return self.args[index]
        return self.kwargs.get(name)

    def keyword(self, name: str) -> ast.AST | None:
        """Return the node of a keyword argument as it is written in the call."""
        if isinstance(self.node, ast.Call):
            for keyword in self.node.keywords:
                if keyword.arg == name:
                    return keyword.value
        return None

    def function(self) -> Function | None:
        """Return the project's function that the event is in; None at module level."""
        return self.stack[-1].callee if self.stack else None

    def in_test(self) -> bool:
        """Tell whether a test makes it: what only costs time there is no mistake."""
        files = (self.module, *(site.module for site in self.stack))
        called = (site.callee.name for site in self.stack)
        return any(_TEST_FILE.search(file.path) for file in files) or any(name.startswith("test_") for name in called)

    def under(self, *quals: str) -> bool:
        """Tell whether a `with` block or decorator around it was made by one of these."""
        return any(qualname(option) in quals for value in self.withs for option in options(value))


def first_step_apart(event: Event, other: Event) -> tuple[Module, ast.AST]:
    """Return where the way to an event parts from that to another: the call that leads to it, or the event itself."""
    shared = 0
    while shared < min(len(event.stack), len(other.stack)) and event.stack[shared].node is other.stack[shared].node:
        shared += 1
    if shared == len(event.stack):
        return event.module, event.node
    return event.stack[shared].module, event.stack[shared].node


def in_caller(event: Event, guard: Guard) -> bool:
    """Tell whether a condition is in a caller of the function that an event is in; a decorator's is its own."""
    if guard.depth == len(event.stack):
        return False
    site = event.stack[guard.depth - 1] if guard.depth else None
    nested = site is not None and site.callee.scope is not site.callee.module.scope
    return not (nested and _by_another_name(event.stack[guard.depth]))


def _by_another_name(site: Site) -> bool:
    """Tell whether a call names something else than its callee, as a wrapper calls the function that it was given."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    return name != site.callee.name


def qualname(value: Value) -> str:
    """Return the canonical name of what made a value, or of the value itself, or ""."""
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return name
    return value.qual if isinstance(value, Obj) else ""


class Trace:
    """Events in order, with indexes by name."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.by_qual: dict[str, list[Event]] = {}
        self.by_method: dict[str, list[Event]] = {}
        self.objects_called: list[Event] = []
        """Calls of objects: forward passes of modules, callbacks."""
        self.by_kind: dict[str, list[Event]] = {}
        self.iterated: dict[int, list[Value]] = {}
        """What each loop (by the identity of its node) iterates over."""
        self.after: dict[int, frozenset[int]] = {}
        """For each run, the runs that come before it."""
        self.roots: dict[int, str] = {}
        """For each run, what was executed."""
        self.functions: list[Function] = []
        self.modules: list[Module] = []

    def add(self, event: Event) -> None:
        """Append an event and index it."""
        self.events.append(event)
        if event.kind != "call":
            self.by_kind.setdefault(event.kind, []).append(event)
            return
        if event.qual:
            self.by_qual.setdefault(event.qual, []).append(event)
        if event.method:
            self.by_method.setdefault(event.method, []).append(event)
        if not event.qual and not event.method:
            self.objects_called.append(event)

    def calls(self, *quals: str) -> Iterator[Event]:
        """Yield calls of external callables by canonical name, in order for each name."""
        for qual in quals:
            yield from self.by_qual.get(qual, ())

    def methods(self, *names: str) -> Iterator[Event]:
        """Yield method calls by name, in order for each name."""
        for name in names:
            yield from self.by_method.get(name, ())

    def kind(self, kind: EventKind) -> list[Event]:
        """Return the events of a kind other than `call`."""
        return self.by_kind.get(kind, [])

    def before(self, first: Event, second: Event) -> bool:
        """Tell whether one event certainly comes before another on a path that has both."""
        if first.run != second.run:
            return first.run in self.after.get(second.run, frozenset()) and compatible(first, second)
        return first.seq < second.seq and compatible(first, second)

    def ordered(self, first: Event, second: Event) -> bool:
        """Tell whether the order of two events is known at all."""
        return (
            first.run == second.run
            or first.run in self.after.get(second.run, frozenset())
            or second.run in self.after.get(first.run, frozenset())
        )


def compatible(first: Event, second: Event) -> bool:
    """Tell whether two events can happen on one path."""
    if not first.guards or not second.guards or first.guards is second.guards:
        return True
    arms: dict[Hashable, int] = {}
    for guard in first.guards:
        arms[guard.branch] = guard.arm
        if guard.key is not None:
            arms[guard.key] = guard.arm
    for guard in second.guards:
        if arms.get(guard.branch, guard.arm) != guard.arm:
            return False
        if guard.key is not None and arms.get(guard.key, guard.arm) != guard.arm:
            return False
    return True


def condition_key(value: Value) -> Hashable:
    """Return a key that is equal for two tests that say the same, None where unknown."""
    if isinstance(value, Const):
        return ("const", repr(value.value))
    if isinstance(value, Alt):
        return ("alt", *(id(option) for option in value.options))
    if isinstance(value, Obj):
        if value.op in ("compare", "bool") and value.label:
            return _keys(value.op + value.label, value.sources)
        return None if value.op in ("expr", "not") else ("obj", id(value))
    name = getattr(value, "name", None)
    return ("name", name) if isinstance(name, str) else None


def _keys(head: str, values: Iterable[Value]) -> Hashable:
    keys = tuple(condition_key(value) for value in values)
    return None if any(key is None for key in keys) else (head, *keys)
