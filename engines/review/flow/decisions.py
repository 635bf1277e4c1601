"""Decisions: names whose value hangs on a comparison of something that only this rank knows.

A flag, a counter of bad epochs or the answer of an EarlyStopping object holds no part of the
loss, but what it is was decided by it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from engines.review.flow.trace import Event, Trace
from engines.review.flow.training import within_lines
from engines.review.flow.values import Value

Key = tuple[object, str]
"""A name with its function; an attribute or a function's answer with "." or "()"."""

_STOPPER = re.compile(r"stop|early|patien", re.IGNORECASE)
_AGREE = (
    *("all_reduce", "broadcast", "all_gather", "all_gather_object", "broadcast_object_list", "all_gather_into_tensor"),
    *("gather", "gather_for_metrics", "gather_object", "reduce", "check_trigger", "set_trigger"),
)
_BINDING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
_ROUNDS = 4
"""How often names are followed through further names."""


def agreed_in(trace: Trace, loop: ast.AST) -> bool:
    """Tell whether ranks exchange a value anywhere in a loop."""
    named = [event for name in _AGREE for event in trace.calls(f"torch.distributed.{name}")]
    return any(loop in event.loops for event in (*named, *trace.methods(*_AGREE)))


def decided_in(trace: Trace, loop: ast.AST, test: ast.AST, local: Callable[[Value], bool]) -> bool:
    """Tell whether a test in a loop's function asks for what a rank-local comparison has decided.

    Args:
        trace: What the program does.
        loop: The loop, whose functions are looked through.
        test: The test, directly within the loop.
        local: Tells of a value whether it is this rank's own.
    """
    inside = [event for event in trace.kind("compare") if loop in event.loops]
    roots = {id(event.node) for event in inside if any(local(value) for value in event.args)}
    if not roots:
        return False
    reading = _Reading(roots, {id(loop): loop} | dict(_functions(inside, loop)))
    for _ in range(_ROUNDS):
        before = len(reading.decided)
        reading.once()
        if len(reading.decided) == before:
            break
    return reading.depends(test, loop)


def _functions(events: Iterable[Event], loop: ast.AST) -> Iterator[tuple[int, ast.AST]]:
    """Yield the functions that a loop calls and in which something is compared."""
    for event in events:
        function = event.function()
        if function is not None and not within_lines(loop, function.node):
            yield id(function.node), function.node


class _Reading:
    """Names that are decided, found by reading functions again and again."""

    def __init__(self, roots: set[int], bodies: dict[int, ast.AST]) -> None:
        self._roots = roots
        self._bodies = bodies
        self.decided: set[Key] = set()

    def once(self) -> None:
        """Follow each assignment and each branch once."""
        for body in self._bodies.values():
            for node in ast.walk(body):
                if isinstance(node, ast.If | ast.IfExp | ast.While) and self.depends(node.test, body):
                    self._branch(node, body)
                    continue
                value = node.value if isinstance(node, _BINDING) else None
                if value is not None and self.depends(value, body):
                    self._mark(node, body)

    def _branch(self, node: ast.AST, body: ast.AST) -> None:
        """What an arm assigns or answers is decided; after an arm that leaves, all that follows as well."""
        leaves = any(isinstance(inner, ast.Return) for inner in ast.walk(node))
        if not isinstance(node, ast.IfExp):
            for inner in ast.walk(body if leaves else node):
                if getattr(inner, "lineno", 0) >= getattr(node, "lineno", 0):
                    self._mark(inner, body)

    def _mark(self, node: ast.AST, body: ast.AST) -> None:
        if isinstance(node, ast.Return):
            self.decided.add(("()", getattr(body, "name", "")))
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self.decided.update(_targets(target, body))

    def depends(self, node: ast.AST, body: ast.AST) -> bool:
        """Tell whether an expression holds a rank-local comparison, or asks for a name that is decided."""
        return any(id(inner) in self._roots or self._is_decided(inner, body) for inner in ast.walk(node))

    def _is_decided(self, node: ast.AST, body: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return (id(body), node.id) in self.decided
        if isinstance(node, ast.Attribute):
            return (".", node.attr) in self.decided
        if not isinstance(node, ast.Call):
            return False
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        by_call = ("()", "__call__") in self.decided and bool(_STOPPER.search(name))
        return by_call or (bool(name) and ("()", name) in self.decided)


def _targets(target: ast.AST, body: ast.AST) -> Iterator[Key]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _targets(part, body)
    elif isinstance(target, ast.Name):
        yield (id(body), target.id)
    elif isinstance(target, ast.Attribute):
        yield (".", target.attr)
