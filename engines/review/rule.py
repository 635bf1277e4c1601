"""Rule: what a rule is, what it is given, and what it returns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from contracts.finding import Finding, Severity
from engines.review.flow.project import Module
from engines.review.flow.ranks import of_one_rank
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import Sharding
from engines.review.flow.trace import Event, Trace
from engines.review.versions import Version, within_range

Reads = Literal["flow", "names", "environment", "config", "launch", "requirements", "manifest"]
"""What a rule looks at: the trace of Python files, the library names that they use, variables that
are set, a configuration document (a file or the arguments of a call), a launch script, pinned
versions, a Kubernetes manifest."""


class Hit(NamedTuple):
    """A place where a rule found its mistake."""

    path: str
    line: int
    column: int
    message: str
    fix: str = ""
    severity: Severity | None = None


@dataclass(frozen=True)
class Rule:
    """A rule: its identity, and where it applies. The check is the function beside it."""

    id: str
    """Such as FSDP001."""
    slug: str
    """Such as optimizer-before-shard; also the name of its knowledge card, unless `card` names one."""
    severity: Severity
    """How bad it is, unless a finding says otherwise."""
    fix: str
    """What to change."""
    torch: str = ""
    """Versions of torch that it concerns, such as ">=2.4,<2.13"; empty for all."""
    reads: Reads = "flow"
    """What it looks at."""
    card: str = ""
    """Card that several rules share; the one of the slug's name where empty."""
    cards: tuple[str, ...] = field(default=())
    """Further cards; the rule's own always comes first."""

    def applies(self, torch: Version) -> bool:
        """Tell whether the rule concerns a version of torch."""
        return within_range(torch, self.torch)

    def finding(self, hit: Hit) -> Finding:
        """Return a hit as the contract's finding."""
        return Finding(
            rule=self.id,
            slug=self.slug,
            severity=hit.severity or self.severity,
            file=hit.path,
            line=max(hit.line, 1),
            column=max(hit.column, 1),
            message=hit.message,
            fix=hit.fix or self.fix,
            cards=(self.card or self.slug, *self.cards),
        )


@dataclass
class Flow:
    """What a rule on Python code is given: one trace and the questions it may ask of it."""

    trace: Trace
    sharding: Sharding
    shapes: Shapes
    torch: Version
    modules: tuple[Module, ...]
    """The file whose code was executed, and those that it led to."""

    def shards_anything(self) -> bool:
        """Tell whether the files that took part shard a module at all, as far as is known."""
        if self.sharding.shards:
            return True
        return any(self.sharding.facts.get(module.path) for module in self.modules)

    def mentions(self, *words: str, times: int = 1) -> bool:
        """Tell whether the texts of the files that took part have one of these words so many times."""
        return any(sum(module.text.count(word) for module in self.modules) >= times for word in words)

    def single_process(self, event: Event | None = None) -> bool:
        """Tell whether the job has one rank: a converter, a look at a checkpoint.

        Args:
            event: What is asked about, where a condition around it counts as well.
        """
        if event is not None and any(of_one_rank(guard.test, guard.arm == 0) for guard in event.guards):
            return True
        started = self.trace.by_qual.get("torch.distributed.init_process_group", [])
        sizes = [start.keyword("world_size") for start in started]
        return bool(sizes) and all(isinstance(size, ast.Constant) and size.value == 1 for size in sizes)

    def hit(self, event: Event, message: str, fix: str = "", severity: Severity | None = None) -> Hit:
        """Return a hit at an event."""
        return at(event.module, event.node, message, fix, severity)


Check = Callable[[Any], Iterator[Hit]]
"""The function `check` of a rule's module."""


def at(module: Module, node: ast.AST, message: str, fix: str = "", severity: Severity | None = None) -> Hit:
    """Return a hit at a node of a Python file."""
    line = getattr(node, "lineno", 1)
    return Hit(module.path, line, getattr(node, "col_offset", 0) + 1, message, fix, severity)
