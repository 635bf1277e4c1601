"""Rule: what a rule is, what it is given, and what it returns.

Where a finding stands. It stands where the wrong act is: where one would change the code.

- Wrong order: at the act that comes too early (the optimizer, the parent's wrap, the forward pass); where it is
  an argument's making that comes too early, at the call that leads to it in the function that both are called from.
- A wrong thing: where it is made (a mesh with its dimensions swapped or without names, a policy, a scaler).
- A right thing at a wrong use: at the use (a whole mesh given to fully_shard, a bypass of forward).
- A thing that is missing: at what asks for it (the policy that asks for a scaler, the data loader that asks for
  a sampler, to_empty, the meta device, the wrap of the layers whose root is left out).
- A condition that parts the ranks: at the collective where both are in one function, at the condition where the
  collective is in a function that is called under it.

A keyword argument that is wrong, or asks for what is missing, has the finding on its own line.

The other places that have a part in it are `related`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from contracts.finding import Finding, RelatedPlace, Severity
from engines.review.flow.project import Module
from engines.review.flow.ranks import of_one_rank
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import Sharding
from engines.review.flow.trace import Event, Guard, Trace
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
    related: tuple[RelatedPlace, ...] = ()

    def beside(self, place: Event | Guard, message: str) -> Hit:
        """Return the hit with a further place, which has a part in the mistake."""
        line = getattr(place.node, "lineno", 1)
        return self._replace(related=(*self.related, RelatedPlace(file=place.module.path, line=line, message=message)))


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
            related=hit.related,
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
        """Tell whether the code of the files that took part has one of these words so many times."""
        return any(sum(module.says(word) for module in self.modules) >= times for word in words)

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

    def hit(
        self, event: Event, message: str, fix: str = "", severity: Severity | None = None, argument: str = ""
    ) -> Hit:
        """Return a hit at an event, or at one of its keyword arguments where that is on a line of its own."""
        return at(*_place(event, argument), message, fix, severity)


def _place(event: Event, argument: str) -> tuple[Module, ast.AST]:
    """Return where an event is, or its keyword argument: on a line of its own, or where a caller hands it on."""
    node = event.node
    if not argument or not isinstance(node, ast.Call):
        return event.module, node
    given = [keyword for keyword in node.keywords if keyword.arg == argument]
    function = event.function()
    rest = function.node.args.kwarg if function is not None else None
    handed_on = rest is not None and any(
        keyword.arg is None and isinstance(keyword.value, ast.Name) and keyword.value.id == rest.arg
        for keyword in node.keywords
    )
    caller = event.stack[-1].node if handed_on and not given else None
    if isinstance(caller, ast.Call) and any(keyword.arg == argument for keyword in caller.keywords):
        node, given = caller, [keyword for keyword in caller.keywords if keyword.arg == argument]
    module = event.stack[-1].module if node is caller else event.module
    return module, next((keyword for keyword in given if keyword.lineno != node.lineno), node)


Check = Callable[[Any], Iterator[Hit]]
"""The function `check` of a rule's module."""


def at(module: Module, node: ast.AST, message: str, fix: str = "", severity: Severity | None = None) -> Hit:
    """Return a hit at a node of a Python file."""
    line = getattr(node, "lineno", 1)
    return Hit(module.path, line, getattr(node, "col_offset", 0) + 1, message, fix, severity)
