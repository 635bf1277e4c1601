"""A Python text, its syntax tree, and changes of it that leave everything else byte by byte."""

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from engines.mending.situation import Situation

_MOST_BYTES = 4 << 20
_ODD_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Where `splitlines` ends a line and Python does not."""


class Source:
    """A text that parses."""

    def __init__(self, text: str) -> None:
        """Parse it.

        Raises:
            SyntaxError: It is no Python.
            ValueError: It holds a NUL character or an unusual line end, or is larger than 4 MiB.
        """
        if len(text) > _MOST_BYTES or any(end in text for end in _ODD_LINE_ENDS):
            raise ValueError("too large, or lines that cannot be counted")
        self.text = text
        self.tree = ast.parse(text)
        self.parents = {inner: node for node in ast.walk(self.tree) for inner in ast.iter_child_nodes(node)}
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._lines = text.splitlines()

    def find(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Yield every node of these kinds, in the order of the text."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, kinds)]
        yield from sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    def calls(self, *names: str) -> list[ast.Call]:
        """Return the calls whose callee ends in one of these names."""
        return [node for node in self.find(ast.Call) if isinstance(node, ast.Call) and last_name(node.func) in names]

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node belongs to."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements among which a statement stands."""
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        raise AssertionError("every statement stands in a block")

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.Module:
        """Return the function that a node stands in; the module where it is in none."""
        while node is not self.tree and not isinstance(node, ast.FunctionDef):
            node = self.parents[node]
        assert isinstance(node, ast.FunctionDef | ast.Module)
        return node

    def of(self, node: ast.AST) -> str:
        """Return a node's text."""
        start, end = self.span(node)
        return self.text[start:end]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node starts and ends, in characters of the text."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.alias | ast.arg)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def lines(self, statement: ast.stmt) -> tuple[int, int] | None:
        """Return where the lines of a statement start and end; None where it shares one with others."""
        start, end = self.span(statement)
        first, last = self._starts[statement.lineno - 1], self._starts[statement.end_lineno or statement.lineno]
        before, after = self.text[first:start], self.text[end:last].strip()
        return (first, last) if not before.strip() and (not after or after.startswith("#")) else None

    def indent(self, statement: ast.stmt) -> str:
        """Return the white space before a statement."""
        line = self._lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def _place(self, line: int, offset: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:offset].decode())


class Change:
    """Replacements in one source, made all at once."""

    def __init__(self, source: Source) -> None:
        """Change nothing yet."""
        self.source = source
        self._spans: list[tuple[int, int, str]] = []
        self._failed = False

    def replace(self, node: ast.AST, new: str) -> None:
        """Put a text in the place of a node."""
        self._spans.append((*self.source.span(node), new))

    def drop(self, statement: ast.stmt) -> None:
        """Take a statement's lines away; `pass` takes its place where it is the only one of its block."""
        lines = self.source.lines(statement)
        if lines is None:
            self._failed = True
            return
        alone = len(self.source.block(statement)) == 1
        self._spans.append((*lines, f"{self.source.indent(statement)}pass\n" if alone else ""))

    def before(self, statement: ast.stmt, *lines: str) -> None:
        """Insert lines in front of a statement, indented as it is."""
        self._insert(statement, 0, lines)

    def after(self, statement: ast.stmt, *lines: str) -> None:
        """Insert lines behind a statement, indented as it is."""
        self._insert(statement, 1, lines)

    def move_after(self, statement: ast.stmt, anchor: ast.stmt) -> None:
        """Move a statement behind another one of the same block."""
        start, end = self.source.span(statement)
        self.after(anchor, self.source.text[start:end])
        self.drop(statement)

    def drop_argument(self, call: ast.Call, keyword: ast.keyword) -> None:
        """Take a keyword argument out of a call, with the comma that belongs to it."""
        text = self.source.text
        start, end = self.source.span(keyword)
        given: list[ast.AST] = [*call.args, *call.keywords]
        others = [self.source.span(node) for node in given if node is not keyword]
        before = [span[1] for span in others if span[1] <= start]
        if before:
            start = max(before)
        elif following := [span[0] for span in others if span[0] >= end]:
            end = min(following)
        if "#" in text[start:end]:
            self._failed = True
        self._spans.append((start, end, ""))

    def add_argument(self, call: ast.Call, argument: str) -> None:
        """Add a keyword argument behind the last argument of a call."""
        given: list[ast.AST] = [*call.args, *call.keywords]
        if given:
            end = max(self.source.span(node)[1] for node in given)
            self._spans.append((end, end, f", {argument}"))
        else:
            end = self.source.span(call)[1] - 1
            self._spans.append((end, end, argument))

    def need(self, line: str) -> None:
        """Import something at the top of the file, unless a line does so already."""
        if any(text.strip() == line for text in self.source.text.splitlines()):
            return
        imports = [node for node in self.source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        if imports:
            self.after(imports[-1], line)
        else:
            self._failed = True

    def done(self) -> str | None:
        """Return the changed text; None where nothing was changed, changes overlap, or it does not parse."""
        ordered = sorted(self._spans, key=lambda span: (span[0], span[1]))
        overlap = any(one[1] > other[0] for one, other in pairwise(ordered))
        if self._failed or not ordered or overlap:
            return None
        text = self.source.text
        for start, end, new in reversed(ordered):
            text = text[:start] + new + text[end:]
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return None
        return None if text == self.source.text else text

    def _insert(self, statement: ast.stmt, side: int, lines: Sequence[str]) -> None:
        place = self.source.lines(statement)
        if place is None:
            self._failed = True
            return
        at, indent = place[side], self.source.indent(statement)
        ends = at == 0 or self.source.text[at - 1] == "\n"
        text = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
        self._spans.append((at, at, text if ends else "\n" + text))


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name; empty where a node is none."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def names_in(node: ast.AST) -> set[str]:
    """Return the plain names that a node reads or writes."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def changed(situation: Situation, patch: Callable[[Source], str | None]) -> dict[str, str]:
    """Return what a patch makes of the files of a script: those that it changes, by their paths."""
    found = {}
    for path, text in situation.sources.items():
        try:
            new = patch(Source(text))
        except (SyntaxError, ValueError, RecursionError):
            continue
        if new is not None:
            found[path] = new
    return found
