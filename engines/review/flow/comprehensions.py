"""Comprehensions: what they collect, item by item where the items are written down."""

from __future__ import annotations

import ast

from engines.review.flow.calls import Calls
from engines.review.flow.chosen import filtered
from engines.review.flow.values import Map, Scope, Seq, Value

MAX_UNROLLED = 5
"""Items of a literal that a loop or a comprehension takes one by one, in order."""


class Comprehensions(Calls):
    """Evaluates comprehensions and generator expressions."""

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        outer, guards, loops = self.frame.scope, self.guards, self.loops
        self.frame.scope = Scope(outer)
        self.loops = (*loops, node)
        iterated: list[Value] = []
        tests: list[Value] = []
        try:
            literal = self._of_literal(node)
            if literal is not None:
                return literal
            for generator in node.generators:
                iterable = self.eval(generator.iter)
                iterated.append(iterable)
                self.bind(generator.target, self.element(iterable))
                for condition in generator.ifs:
                    test = self.test(condition)
                    tests.append(test)
                    self.guards = (*self.guards, self.guard_pair(test, condition)[0])
            if isinstance(node, ast.DictComp):
                made = Map({}, more=True, node=node)
                made.key, made.rest = self.eval(node.key), self.eval(node.value)
                made.sources = (made.rest, *iterated)
                return made
            result = Seq([filtered(self.eval(node.elt), tests)], more=True)
            result.sources += (*iterated, *tests)
            return result
        finally:
            self.frame.scope, self.guards, self.loops = outer, guards, loops

    def _of_literal(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value | None:
        """Evaluate `[f(x) for x in (a, b)]` item by item; None where it is anything else."""
        generator = node.generators[0]
        if isinstance(node, ast.DictComp) or len(node.generators) > 1 or generator.ifs:
            return None
        items = self._known_items(generator.iter)
        if items is None:
            return None
        made: list[Value] = []
        for item in items:
            self.bind(generator.target, item)
            made.append(self.eval(node.elt))
        result = Seq(made)
        result.sources += tuple(items)
        return result

    def _known_items(self, node: ast.expr) -> list[Value] | None:
        """Return the items of a name's or literal's few, None where there are more or they are not known."""
        view = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
        if not isinstance(node, ast.Name | ast.Tuple | ast.List) and not view:
            return None
        value = self.eval(node)
        few = isinstance(value, Seq) and not value.more and 1 < len(value.items) <= MAX_UNROLLED
        return list(value.items) if isinstance(value, Seq) and few else None
