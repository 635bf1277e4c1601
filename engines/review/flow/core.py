"""Core: the machine's state, its budgets, and what its mix-ins ask of each other."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

from engines.review.flow.names import FSDP1, FULLY_SHARD
from engines.review.flow.project import Module, Project
from engines.review.flow.ranks import parts, strip_not
from engines.review.flow.trace import Event, EventKind, Guard, Site, Trace, condition_key
from engines.review.flow.values import UNKNOWN, Class, Function, Obj, Place, Scope, Value

MAX_DEPTH_CALLS = 14
"""Calls of the project's functions that are followed inside each other."""
MAX_DEPTH_RECURSION = 6
"""Depth of calls up to which a function that walks a tree is followed into itself, once."""
MAX_VISITS_PER_RUN = 6
"""Times that one function is followed in one run."""
MAX_STATEMENTS_PER_RUN = 6_000
"""Statements executed in one run; loops count once."""
MAX_STATEMENTS_PER_TEMPLATE = 1_500
"""Statements executed to see which attributes a class sets."""
MAX_STATEMENTS_PER_MODULE = 25_000
"""Statements executed for the runs of one file."""

MAX_SHARDINGS_PER_MODULE = 256
"""Sharding calls in the trace of one file, since rules compare them in pairs: 1,400 took half a minute. The most in
a file of torchtune, torchtitan and verl is 30."""

MADE_WITHIN = "[made within]"
"""Attribute of an instance of a project's class: the `with` blocks around its making."""

MADE_BY = "[made by]"
"""Attribute of a generator: the function that yields."""

SHARDING = (FULLY_SHARD, FSDP1)
"""What shards a module."""

Ended = Literal["", "return", "raise", "continue", "break"]
"""How a block was left; "" where it runs to its end."""


class BudgetSpent(Exception):
    """A run took more statements than allowed."""


class Frame:
    """One activation of a function or module body."""

    __slots__ = (
        "bound",
        "function",
        "guards_below",
        "module",
        "parted",
        "receiver",
        "returns",
        "scope",
        "withs_below",
        "yield_withs",
        "yields",
    )

    def __init__(self, module: Module, scope: Scope, function: Function | None = None, receiver: Value | None = None):
        self.module = module
        self.scope = scope
        self.function = function
        self.receiver = receiver
        self.returns: list[Value] = []
        self.yields: list[Value] = []
        self.bound: dict[str, Value] = {}
        """Parameters as they were given."""
        self.yield_withs: tuple[Value, ...] = ()
        self.parted = False
        """Whether some return is under a condition that parts the ranks."""
        self.guards_below = 0
        """Number of conditions that belong to the callers."""
        self.withs_below = 0
        """Number of `with` values that belong to the callers."""


class Decoration(NamedTuple):
    """A decorator of a function."""

    name: str
    """Last part of its name."""
    value: Value
    """What it is, such as the context `torch.no_grad()`."""


Heap = dict[tuple[int, str], tuple[Obj, str, Value | None]]
"""Attributes written in a branch, with what they were before."""


class Core(ABC):
    """State and small shared operations; the mix-ins add the language."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.trace = Trace()
        self.run = 0
        self.seq = 0
        self.branches = 0
        self.statements = 0
        self.limit = MAX_STATEMENTS_PER_RUN
        self.spent = 0
        """Statements executed for the current file, in the runs that have ended."""
        self.loud = 0
        """Events so far that a second look at the same function could not leave out."""
        self.dull: dict[Place, Value] = {}
        """Results of functions that do nothing but ask about the environment."""
        self.muted = 0
        self.frame: Frame = Frame(Module("", "", ast.Module([], [])), Scope())
        self.stack: tuple[Site, ...] = ()
        self.guards: tuple[Guard, ...] = ()
        self.loops: tuple[ast.AST, ...] = ()
        self.unrolled: frozenset[ast.AST] = frozenset()
        """Loops around that take the items of a literal one by one."""
        self.withs: tuple[Value, ...] = ()
        self.tries: tuple[ast.Try | ast.TryStar, ...] = ()
        self.heap: Heap | None = None
        self.visits: dict[Hashable, int] = {}
        """Times that each function (with its closure) was followed in this run."""
        self.entered: set[Place] = set()
        self.decorations: dict[Place, tuple[Decoration, ...]] = {}
        self.stand_ins: dict[Place, Function] = {}
        """What decorators have put in the place of functions."""
        self.not_followed: list[str] = []

    # What the mix-ins provide to each other.

    @abstractmethod
    def eval(self, node: ast.AST) -> Value:
        """Evaluate an expression."""

    @abstractmethod
    def test(self, node: ast.AST) -> Value:
        """Evaluate a condition."""

    @abstractmethod
    def exec_block(self, body: Sequence[ast.stmt]) -> Ended:
        """Execute statements until one of them leaves the block."""

    @abstractmethod
    def exec_module(self, module: Module) -> None:
        """Execute a module's top level once."""

    @abstractmethod
    def get_attr(self, value: Value, name: str) -> Value:
        """Read an attribute."""

    @abstractmethod
    def set_attr(self, obj: Obj, name: str, value: Value) -> None:
        """Write an attribute."""

    @abstractmethod
    def get_item(self, value: Value, key: Value) -> Value:
        """Read a subscript."""

    @abstractmethod
    def element(self, value: Value) -> Value:
        """Return what iterating over a value yields."""

    @abstractmethod
    def call(self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        """Call a value."""

    @abstractmethod
    def descendant(self, obj: Obj) -> Obj:
        """Return the one object that stands for any module inside another."""

    @abstractmethod
    def known_truth(self, test: ast.expr) -> bool | None:
        """Return the truth of a test that hangs on what the caller gave, None where unknown."""

    @abstractmethod
    def inline(self, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        """Follow a call of a project's function."""

    @abstractmethod
    def template(self, cls: Class) -> Obj:
        """Return an instance of a class, made with unknown arguments."""

    @abstractmethod
    def bind(self, target: ast.AST, value: Value) -> None:
        """Assign a value to a target."""

    # What they share.

    def reset(self) -> None:
        """Forget where a run was; it ended, perhaps in the middle of something."""
        self.stack, self.guards, self.loops, self.withs, self.tries = (), (), (), (), ()
        self.heap = None

    def forget(self, module: Module) -> None:
        """Drop a module's tree and all that is kept of its functions but their places."""
        module.release()
        kept: tuple[dict[Place, Any], ...] = (self.dull, self.decorations, self.stand_ins)
        for known in kept:
            for place in [place for place in known if place[0] == module.path]:
                del known[place]

    def step(self) -> None:
        """Count a statement.

        Raises:
            BudgetSpent: The run has had its share.
        """
        self.statements += 1
        if self.statements > self.limit:
            raise BudgetSpent

    def emit(self, kind: EventKind, node: ast.AST) -> Event:
        """Return an event at the current place; the caller fills it in and records it."""
        self.seq += 1
        event = Event(kind, self.seq, self.run, node, self.frame.module)
        event.stack = self.stack
        event.guards = self.guards
        event.loops = self.loops
        event.withs = self.withs
        event.tries = self.tries
        return event

    def record(self, event: Event) -> None:
        """Add an event to the trace, unless a class is being read for its attributes only."""
        if event.kind == "setattr" or (event.kind == "call" and not _is_dull(event)):
            self.loud += 1
        if not self.muted:
            self._afford(event)
            self.trace.add(event)

    def _afford(self, event: Event) -> None:
        """End the reading of a file that shards beyond all measure."""
        if event.qual in SHARDING and sum(len(self.trace.by_qual.get(qual, ())) for qual in SHARDING) >= (
            MAX_SHARDINGS_PER_MODULE
        ):
            self.spent, self.limit = MAX_STATEMENTS_PER_MODULE, 0
            raise BudgetSpent

    def guard_pair(self, test: Value, node: ast.AST) -> tuple[Guard, Guard]:
        """Return the guards of a test's two arms: where it holds, where it does not."""
        self.branches += 1
        plain, odd = strip_not(test)
        key: Hashable = condition_key(plain)
        where = (node, self.frame.module, test, key)
        holds = Guard(self.branches, int(odd), *where, parts(test, True), len(self.stack))
        fails = Guard(self.branches, 1 - int(odd), *where, parts(test, False), len(self.stack))
        return holds, fails

    def note(self, node: ast.AST, why: str) -> None:
        """Remember a place where the reading stopped."""
        line = getattr(node, "lineno", 1)
        text = f"{self.frame.module.path}:{line}: could not be followed: {why}"
        if text not in self.not_followed:
            self.not_followed.append(text)

    def derived(self, label: str, *sources: Value, node: ast.AST | None = None) -> Value:
        """Return a value computed from others; UNKNOWN where there are none."""
        if not sources:
            return UNKNOWN
        return Obj("expr", label, sources=sources, node=node)


_DULL_METHODS = frozenset(
    ("get", "strip", "lower", "upper", "split", "format", "startswith", "endswith", "join", "replace", "groups")
)


def _is_dull(event: Event) -> bool:
    """Tell whether a call changes nothing and concerns neither tensors nor modules."""
    if event.method:
        return event.method in _DULL_METHODS
    return bool(event.qual) and not event.qual.startswith(_LOUD)


_LOUD = (
    "torch.",
    "accelerate.",
    "transformers.",
    "lightning.",
    "peft.",
    "deepspeed.",
    "safetensors.",
    "copy.",
    "setattr",
)
