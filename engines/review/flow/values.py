"""Abstract values: what an expression may be, and where it came from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engines.review.flow.project import Module
    from engines.review.flow.trace import Event

RankKind = Literal["", "global", "local", "main"]
"""How a value depends on the rank: its number in the job, its number on the node, or a
boolean that is true on some ranks only."""


class Value:
    """Anything. `sources` are the values it was made from."""

    __slots__ = ("sources",)

    def __init__(self, sources: tuple[Value, ...] = ()) -> None:
        self.sources = sources


class Const(Value):
    """A literal."""

    __slots__ = ("line", "value")

    def __init__(self, value: object, line: int = 0) -> None:
        super().__init__()
        self.value = value
        self.line = line
        """Where it is written, 0 where it was computed."""


class Ext(Value):
    """A module, class or function outside the project, by its canonical dotted name."""

    __slots__ = ("name", "raw")

    def __init__(self, name: str, raw: str) -> None:
        super().__init__()
        self.name = name
        self.raw = raw


class ModuleRef(Value):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module


class Scope:
    """Names of a function or module, with the scope around it."""

    __slots__ = ("outer", "vars")

    def __init__(self, outer: Scope | None = None) -> None:
        self.vars: dict[str, Value] = {}
        self.outer = outer

    def find(self, name: str) -> Value | None:
        """Return the value bound to a name here or further out."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.vars.get(name)
            if value is not None:
                return value
            scope = scope.outer
        return None


Place = tuple[str, int, int]
"""Path, line and column."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Function(Value):
    """A function of the project, perhaps bound to a receiver."""

    __slots__ = ("bound", "module", "node", "owner", "scope")

    def __init__(
        self,
        node: FunctionNode,
        module: Module,
        scope: Scope,
        owner: Class | None = None,
        bound: Value | None = None,
    ) -> None:
        super().__init__()
        self.node = node
        self.module = module
        self.scope = scope
        self.owner = owner
        self.bound = bound

    @property
    def key(self) -> Place:
        """What tells it from every other function."""
        return (self.module.path, self.node.lineno, self.node.col_offset)

    @property
    def name(self) -> str:
        """Its name; `<lambda>` where it has none."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


class Class(Value):
    """A class of the project."""

    __slots__ = ("bases", "members", "module", "node", "template")

    def __init__(self, node: ast.ClassDef, module: Module, bases: tuple[Value, ...]) -> None:
        super().__init__()
        self.node = node
        self.module = module
        self.bases = bases
        self.members: dict[str, Value] = {}
        self.template: Obj | None = None
        """An instance made with unknown arguments; what the class says of its attributes."""

    def linear(self) -> Iterator[Value]:
        """Yield the class and its bases, depth first; enough of the MRO for reading."""
        seen: set[int] = set()
        stack: list[Value] = [self]
        while stack:
            cls = stack.pop(0)
            if id(cls) in seen:
                continue
            seen.add(id(cls))
            yield cls
            if isinstance(cls, Class):
                stack = list(cls.bases) + stack

    def member(self, name: str) -> Value | None:
        """Return a member of the class or of a base that is in the project."""
        for cls in self.linear():
            if isinstance(cls, Class) and name in cls.members:
                return cls.members[name]
        return None

    def derives(self, *names: str) -> bool:
        """Tell whether a base outside the project has one of these canonical names."""
        return any(isinstance(cls, Ext) and cls.name in names for cls in self.linear())


Op = Literal[
    "param", "attr", "item", "elem", "descendant", "new", "call", "expr", "compare", "not", "bool", "env", "partial"
]


class Obj(Value):
    """An object that is known by where it came from."""

    __slots__ = (
        "attrs", "cls", "home", "inner", "label", "made", "names", "node", "op",
        "parent", "rank", "symbolic", "uniform",
    )  # fmt: skip

    def __init__(
        self,
        op: Op,
        label: str = "",
        *,
        sources: tuple[Value, ...] = (),
        node: ast.AST | None = None,
        parent: Obj | None = None,
        cls: Class | None = None,
        made: Event | None = None,
        inner: Value | None = None,
        rank: RankKind = "",
        symbolic: bool = False,
    ) -> None:
        super().__init__(sources)
        self.op = op
        self.label = label
        self.node = node
        self.parent = parent
        self.cls = cls
        self.made = made
        self.inner = inner
        """What it wraps and stands for: FSDP(inner), torch.compile(inner)."""
        self.rank = rank
        self.symbolic = symbolic
        """True where nothing is known but its name: a parameter of a function that nobody calls."""
        self.home: tuple[str, str] | None = None
        """(module, parameter) where nothing is known of it but that."""
        self.uniform = False
        """True after a collective has made it equal on all ranks."""
        self.attrs: dict[str, Value] = {}
        self.names: set[tuple[str, str]] = set()
        """(module, variable) names that it was bound to."""

    @property
    def qual(self) -> str:
        """Canonical name of the external callable that made it, or ""."""
        return self.made.qual if self.made is not None else ""


class Seq(Value):
    """A tuple, list or set whose items are known."""

    __slots__ = ("items", "more")

    def __init__(self, items: list[Value], more: bool = False) -> None:
        super().__init__(tuple(items))
        self.items = items
        self.more = more
        """True where it also holds items that are not known, or any number of them."""


class Map(Value):
    """A dictionary: its constant keys, and one value that stands for all others."""

    __slots__ = ("by_path", "items", "key", "more", "node", "rest")

    def __init__(self, items: dict[object, Value], more: bool = False, node: ast.AST | None = None) -> None:
        super().__init__(tuple(items.values()))
        self.items = items
        self.more = more
        self.node = node
        self.key: Value | None = None
        """What a key is that is no constant."""
        self.rest: Value | None = None
        """What stands under such a key."""
        self.by_path = False
        """True where it may hold less than `items`, and only because some were put in under a condition."""

    def put(self, items: dict[object, Value], on_path: bool) -> None:
        """Add entries.

        Args:
            items: The entries.
            on_path: Whether that is done on one path of several.
        """
        self.by_path = self.by_path or (on_path and not self.more)
        self.items.update(items)

    def open_up(self) -> None:
        """Note that it may hold anything besides."""
        self.more, self.by_path = True, False

    def values(self) -> tuple[Value, ...]:
        """Return the values that are known, the one for all others included."""
        return (*self.items.values(), *((self.rest,) if self.rest is not None else ()))


class Alt(Value):
    """One of several values, depending on the path."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        super().__init__(options)
        self.options = options


UNKNOWN = Obj("expr", "?")
"""A value of which nothing is known; it has no attributes of its own."""
