"""Naming: every use of a library's names in a Python file, by their dotted paths as imported."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from engines.review.flow.project import Module
from engines.review.versions import Version


class Use(NamedTuple):
    """A place where a name of a library is imported or used."""

    name: str
    line: int
    column: int
    imported: bool
    """True for the import itself."""
    guarded: bool
    """True where code is prepared for the name to be missing: a try with an except, a test of a version."""
    asked: bool = False
    """True where something is compared with it."""


@dataclass
class Names:
    """The uses in one file."""

    path: str
    torch: Version
    uses: list[Use] = field(default_factory=list)


def names_of(module: Module, torch: Version) -> Names:
    """Return the uses of outside names in a file, imports first in their order."""
    reader = _Reader()
    reader.visit(module.tree)
    return Names(module.path, torch, reader.uses)


class _Reader(ast.NodeVisitor):
    """Collects imports (anywhere in the file) and attribute chains that start at them."""

    def __init__(self) -> None:
        self.uses: list[Use] = []
        self.known: dict[str, str] = {}
        self.guards = 0
        self.comparisons = 0

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.known[alias.asname or alias.name.partition(".")[0]] = (
                alias.name if alias.asname else alias.name.partition(".")[0]
            )
            self._add(alias.name, node, imported=True)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or node.module is None:
            return
        for alias in node.names:
            dotted = f"{node.module}.{alias.name}"
            self.known[alias.asname or alias.name] = dotted
            self._add(dotted, alias, imported=True)

    def visit_Try(self, node: ast.Try) -> None:
        self.guards += 1
        self.generic_visit(node)
        self.guards -= 1

    def visit_If(self, node: ast.If) -> None:
        by_version = any(word in ast.unparse(node.test).lower() for word in ("version", "available", "hasattr"))
        self.guards += by_version
        self.generic_visit(node)
        self.guards -= by_version

    def visit_Compare(self, node: ast.Compare) -> None:
        self.comparisons += 1
        self.generic_visit(node)
        self.comparisons -= 1

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in self.known:
            self._add(".".join([self.known[value.id], *reversed(parts)]), node, imported=False)
        elif not isinstance(value, ast.Name):
            self.visit(value)

    def _add(self, name: str, node: ast.AST, *, imported: bool) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        self.uses.append(Use(name, line, column, imported, self.guards > 0, self.comparisons > 0))
