"""Control flow: branches on copies that are joined, loops once, early exits as conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from engines.review.flow.comprehensions import MAX_UNROLLED
from engines.review.flow.core import Ended, Heap
from engines.review.flow.definitions import Definitions
from engines.review.flow.knowing import join
from engines.review.flow.ranks import parted_by_rank
from engines.review.flow.trace import Guard, GuardKind, qualname
from engines.review.flow.values import UNKNOWN, Const, Obj, Seq, Value

EXPECT_FAILURE = ("pytest.raises", "pytest.warns", "unittest.TestCase.assertRaises")
"""Contexts in which code is meant to fail."""
_POLICIES = ("MixedPrecision", "OffloadPolicy", "CPUOffload", "init_device_mesh", "DeviceMesh")
"""Calls whose result is neither None nor false."""


class Arm(NamedTuple):
    """What one arm of a branch leaves behind."""

    variables: dict[str, Value]
    heap: dict[tuple[int, str], tuple[Obj, str, Value | None, Value | None]]
    ended: Ended
    kept: tuple[Guard, ...]


class Control(Definitions):
    """Executes what decides whether and how often other statements run."""

    def _if(self, node: ast.If) -> Ended:
        if _is_main_check(node.test):
            return self.exec_block(node.body)
        if isinstance(node.test, ast.Constant):
            return self.exec_block(node.body if node.test.value else node.orelse)
        known = self.known_truth(node.test)
        if known is not None:
            return self.exec_block(node.body if known else node.orelse)
        holds, fails = self.guard_pair(self.test(node.test), node)
        first = self._arm(node.body, holds)
        second = self._arm(node.orelse, fails)
        return self._merge([(first, holds), (second, fails)])

    def known_truth(self, test: ast.expr) -> bool | None:
        """Return the truth of a parameter that the caller gave as a literal or made, None where unknown."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.known_truth(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is | ast.IsNot):
            value = self._given(test.left)
            right = test.comparators[0]
            if value is None or not (isinstance(right, ast.Constant) and right.value is None):
                return None
            is_none = isinstance(value, Const) and value.value is None
            return is_none is isinstance(test.ops[0], ast.Is)
        if isinstance(test, ast.BoolOp):
            decisive = isinstance(test.op, ast.Or)
            known = [self.known_truth(operand) for operand in test.values]
            return decisive if decisive in known else None
        value = self._given(test)
        if value is None:
            return None
        return bool(value.value) if isinstance(value, Const) else True

    def _given(self, node: ast.expr) -> Value | None:
        """Return what a parameter was given, a literal or a policy, if the name was not bound anew."""
        if not isinstance(node, ast.Name):
            return None
        value = self.frame.scope.vars.get(node.id)
        if value is None or self.frame.bound.get(node.id) is not value:
            return None
        is_policy = isinstance(value, Obj) and value.qual.rpartition(".")[2].startswith(_POLICIES)
        return value if isinstance(value, Const) or is_policy else None

    def _arm(self, body: Sequence[ast.stmt], guard: Guard) -> Arm:
        """Execute one arm on a copy of the variables and undo what it wrote."""
        scope, guards, outer = self.frame.scope, self.guards, self.heap
        before = scope.vars
        log: Heap = {}
        scope.vars, self.heap, self.guards = dict(before), log, (*guards, guard)
        try:
            ended = self.exec_block(body)
            kept = () if ended else tuple(g for g in self.guards[len(guards) + 1 :] if g.kind in ("return", "skip"))
            written = {key: (obj, name, old, obj.attrs.get(name)) for key, (obj, name, old) in log.items()}
            for obj, name, old, _ in written.values():
                if old is None:
                    obj.attrs.pop(name, None)
                else:
                    obj.attrs[name] = old
            return Arm(scope.vars, written, ended, kept)
        finally:
            scope.vars, self.guards, self.heap = before, guards, outer

    def _merge(self, arms: list[tuple[Arm, Guard]]) -> Ended:
        """Join what the arms left; where one of them left the block, the rest depends on the other."""
        going = [arm for arm, _ in arms if not arm.ended]
        if not going:
            first = arms[0][0].ended
            return first if all(arm.ended == first for arm, _ in arms) else "return"
        self._join_variables(going, any(guard.divergent for _, guard in arms))
        self._join_heap(going, any(guard.divergent for _, guard in arms))
        for index, (arm, _) in enumerate(arms):
            if arm.ended:
                kind: GuardKind = "skip" if arm.ended in ("continue", "break") else "return"
                stays = arms[1 - index][1]._replace(kind=kind) if len(arms) == 2 else None
                if stays is not None and arm.ended == "raise":
                    stays = stays._replace(divergent=False)  # a check: where it fails on a rank, the job ends
                other = (stays,) if stays is not None else ()
                self.guards = (*self.guards, *other)
            else:
                self.guards = (*self.guards, *arm.kept)
        return ""

    def _join_variables(self, arms: list[Arm], parted: bool) -> None:
        variables = self.frame.scope.vars
        changed = {name for arm in arms for name, value in arm.variables.items() if variables.get(name) is not value}
        for name in changed:
            joined = join(*(arm.variables.get(name) for arm in arms))
            variables[name] = parted_by_rank(joined) if parted and len(arms) > 1 else joined

    def _join_heap(self, arms: list[Arm], parted: bool) -> None:
        touched = {key: entry for arm in arms for key, entry in arm.heap.items()}
        for key, (obj, name, old, _) in touched.items():
            values = [arm.heap[key][3] if key in arm.heap else old for arm in arms]
            if any(value is not None for value in values):
                joined = join(*values)
                self.set_attr(obj, name, parted_by_rank(joined) if parted and len(arms) > 1 else joined)

    def _for(self, node: ast.For | ast.AsyncFor) -> Ended:
        iterable = self.eval(node.iter)
        self.trace.iterated.setdefault(id(node), []).append(iterable)
        if isinstance(iterable, Seq) and 1 < len(iterable.items) <= MAX_UNROLLED:
            before = self.unrolled
            self.unrolled = before if iterable.more else before | {node}
            for item in list(iterable.items):
                self.bind(node.target, item)
                self._loop(node, node.body)
            self.unrolled = before
        else:
            self.bind(node.target, self.element(iterable))
            self._loop(node, node.body)
        return self.exec_block(node.orelse)

    def _while(self, node: ast.While) -> Ended:
        test = self.test(node.test)
        guards = self.guards
        if not isinstance(node.test, ast.Constant):
            self.guards = (*guards, self.guard_pair(test, node)[0])
        kept_from = len(self.guards)
        self._loop(node, node.body)
        self.guards = guards + self.guards[kept_from:]
        self._asked_again(node)
        return self.exec_block(node.orelse)

    def _asked_again(self, node: ast.While) -> None:
        """Record how a loop is left whose test is one of the rank by what its body has set."""
        if any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node.test)):
            return
        self.muted += 1
        holds, fails = self.guard_pair(self.test(node.test), node)
        self.muted -= 1
        if holds.divergent or fails.divergent:
            event = self.emit("jump", node)
            event.name, event.loops = "break", (*self.loops, node)
            event.guards = (*self.guards, fails._replace(divergent=True))
            self.record(event)

    def _loop(self, node: ast.AST, body: Sequence[ast.stmt]) -> None:
        guards, loops = self.guards, self.loops
        self.loops = (*loops, node)
        self.exec_block(body)
        self.loops = loops
        self.guards = guards + tuple(g for g in self.guards[len(guards) :] if g.kind == "return")

    def _with(self, node: ast.With | ast.AsyncWith) -> Ended:
        before = self.withs
        for item in node.items:
            value = self.eval(item.context_expr)
            inside = value.attrs.get("yield") if isinstance(value, Obj) else None
            self.withs = (*self.withs, value, *(inside.items if isinstance(inside, Seq) else ()))
            if item.optional_vars is not None:
                self.bind(item.optional_vars, self.element(value) if inside is not None else value)
        expected = any(qualname(value) in EXPECT_FAILURE for value in self.withs[len(before) :])
        self.muted += int(expected)
        try:
            ended = self.exec_block(node.body)
        finally:
            self.muted -= int(expected)
        self.withs = before
        return ended

    def _try(self, node: ast.Try) -> Ended:
        before = self.tries
        self.tries = (*before, node)
        ended = self.exec_block(node.body)
        self.tries = before
        ends = [ended or self.exec_block(node.orelse)]
        for handler in node.handlers:
            caught = self.eval(handler.type) if handler.type is not None else UNKNOWN
            guard = self.guard_pair(caught, handler)[0]._replace(kind="except", key=None)
            arm = self._arm(handler.body, guard)
            ends.append(arm.ended)
            if not arm.ended:
                self._join_handler(arm)
        final = self.exec_block(node.finalbody)
        return final or (ends[0] if all(ends) else "")

    def _join_handler(self, arm: Arm) -> None:
        variables = self.frame.scope.vars
        for name, value in arm.variables.items():
            if variables.get(name) is not value:
                variables[name] = join(variables.get(name), value)
        for obj, name, old, new in arm.heap.values():
            self.set_attr(obj, name, join(old, new))

    def _match(self, node: ast.Match) -> Ended:
        subject = self.eval(node.subject)
        guard, _ = self.guard_pair(subject, node)
        arms = []
        for index, case in enumerate(node.cases):
            own = guard._replace(arm=index, key=None, divergent=guard.divergent)
            arms.append((self._arm(case.body, own), own))
        return self._merge(arms) if arms else ""


def _is_main_check(test: ast.expr) -> bool:
    """`__name__ == "__main__"` and TYPE_CHECKING: read as true."""
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name):
        return test.left.id == "__name__"
    return (
        isinstance(test, ast.Name | ast.Attribute) and getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"
    )
