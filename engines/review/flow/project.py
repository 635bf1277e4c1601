"""Project: the Python files given, parsed on demand, and which of them an import means."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from engines.review.flow.names import RELEVANT
from engines.review.flow.parsing import Unparsable, parse
from engines.review.flow.values import Scope
from engines.review.flow.written import code_of

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE)
_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\n)*)|import[ \t]+([^\n#;]+))", re.MULTILINE
)
_NAME = re.compile(r"[A-Za-z_]\w*")


class Module:
    """A Python file: its text, its tree once asked for, its names once executed."""

    def __init__(self, path: str, text: str, tree: ast.Module | None = None) -> None:
        self.path = path
        self.folder = posixpath.dirname(_norm(path))
        self.text = text
        self.broken = ""
        """Why it cannot be parsed, once that was tried."""
        self.scope = Scope()
        self.executed = False
        self.released = False
        self.imports: list[tuple[str, ast.AST]] = []
        """Raw dotted names that are imported from outside the project, with their places."""
        self.stars: list[str] = []
        self.relevant = bool(RELEVANT.search(text))
        self._tree = tree
        self._code: str | None = None

    @property
    def code(self) -> str:
        """The text without comments, docstrings and prose: what a rule may take for a sign that code is there."""
        if self._code is None:
            self._code = code_of(self.text)
        return self._code

    def says(self, word: str) -> int:
        """Return how often the code has a word, read only where the text has it at all."""
        return self.code.count(word) if word in self.text else 0

    @property
    def tree(self) -> ast.Module:
        """The syntax tree.

        Raises:
            Unparsable: The text is no Python 3.
        """
        if self._tree is None:
            try:
                self._tree = parse(self.text, self.path)
            except Unparsable as err:
                self.broken = str(err)
                raise
        return self._tree

    def check(self) -> None:
        """Parse a file that will not be executed for its own sake, and forget the tree at once.

        Raises:
            Unparsable: The text is no Python 3.
        """
        _ = self.tree
        self._tree = None

    def release(self) -> None:
        """Forget tree and names; who asks for them all the same makes them again, without events."""
        self._tree = self._code = None
        self.scope = Scope()
        self.imports, self.stars = [], []
        self.released = self.released or self.executed
        self.executed = False

    def imported(self) -> list[str]:
        """Return the dotted names after `import` and `from`, read without parsing."""
        return [match[1] or match[2] for match in _IMPORT.finditer(self.text)]


class Project:
    """The modules of one review."""

    def __init__(self, modules: Iterable[Module], roots: Iterable[str] = ()) -> None:
        """Index the modules.

        Args:
            modules: Files that were given.
            roots: Folders that were given; imports are looked up from them as well.
        """
        self.modules = list(modules)
        self._by_path = {_norm(module.path): module for module in self.modules}
        self._roots = [_norm(root) for root in roots]
        self._packages: dict[str, str | None] = {}
        self._resolved: dict[tuple[str, str, int], Module | None] = {}

    def resolve(self, dotted: str, importer: Module, level: int = 0) -> Module | None:
        """Return the project's module of a dotted name, or None where it is not given.

        Args:
            dotted: Name after `import` or `from`; may be empty for `from . import x`.
            importer: The module that imports.
            level: Number of leading dots.
        """
        folder = importer.folder
        key = (dotted, folder, level)
        if key not in self._resolved:
            self._resolved[key] = self._resolve([part for part in dotted.split(".") if part], folder, level)
        found = self._resolved[key]
        return found if found is not importer or level else None

    def _resolve(self, parts: list[str], folder: str, level: int) -> Module | None:
        if level:
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            return self._at(folder, parts)
        for base in self._bases(folder):
            found = self._at(base, parts) if parts else None
            if found is not None:
                return found
        return None

    def _at(self, folder: str, parts: list[str]) -> Module | None:
        target = posixpath.join(folder, *parts)
        return self._by_path.get(f"{target}.py") or self._by_path.get(posixpath.join(target, "__init__.py"))

    def _bases(self, folder: str) -> list[str]:
        top = self._package_root(folder)
        bases = [folder] if top is None else [top]
        return bases + [root for root in self._roots if root not in bases]

    def _package_root(self, folder: str) -> str | None:
        """Return the folder above the package that a folder belongs to, None for no package."""
        if folder not in self._packages:
            current, top = folder, None
            while self._is_package(current):
                top = posixpath.dirname(current)
                if top == current:
                    break
                current = top
            self._packages[folder] = top
        return self._packages[folder]

    def _is_package(self, folder: str) -> bool:
        if folder in ("", ".", "/"):
            return False
        mark = posixpath.join(folder, "__init__.py")
        return mark in self._by_path or Path(mark).is_file()

    def relevant(self) -> list[Module]:
        """Return the modules that concern sharded training, importers before what they import."""
        chosen = {id(module) for module in self.modules if module.relevant}
        imports = {id(module): self._imported_modules(module) for module in self.modules}
        for module in self.modules:
            if id(module) not in chosen and any(other.relevant for other in imports[id(module)]):
                chosen.add(id(module))
        imported = {id(other) for module in self.modules if id(module) in chosen for other in imports[id(module)]}
        selected = [module for module in self.modules if id(module) in chosen]
        return sorted(selected, key=lambda module: id(module) in imported)

    def _imported_modules(self, module: Module) -> list[Module]:
        found = []
        for name in module.imported():
            level = len(name) - len(name.lstrip("."))
            other = self.resolve(name[level:], module, level)
            if other is not None and other is not module:
                found.append(other)
        return found

    def reached_from(self, module: Module) -> list[Module]:
        """Return the modules that any name in a module's imports may mean, without parsing.

        Args:
            module: The module that imports.
        """
        found: dict[int, Module] = {}
        for match in _IMPORTED.finditer(module.text):
            for dotted, level in _dotted_names(match):
                other = self.resolve(dotted, module, level)
                if other is not None:
                    found[id(other)] = other
        return list(found.values())


def _dotted_names(match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield the dotted names that an import may mean, each with its number of leading dots."""
    if match[1] is None:
        for name in match[3].split(","):
            parts = name.partition(" as ")[0].strip().split(".")
            yield from ((".".join(parts[: end + 1]), 0) for end in range(len(parts)))
        return
    base = match[1].lstrip(".")
    level = len(match[1]) - len(base)
    yield base, level
    yield from ((f"{base}.{name}".strip("."), level) for name in _NAME.findall(match[2]))


def _norm(path: str) -> str:
    return PurePath(path).as_posix()
