"""FSDP098: a loop with collectives is left by a decision that only some ranks take."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.trace import Event, Guard
from engines.review.flow.training import backwards, forwards, loop_of
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP098",
    slug="gather-decision-on-rank0",
    severity="error",
    fix="Broadcast the decision from rank 0 before acting on it.",
    card="early-stop-on-rank0",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield breaks and returns under a rank-dependent flag in loops that train or evaluate."""
    passes = (*forwards(flow.sharding), *(backwards(flow.trace) if flow.sharding.shards else ()))
    reported: set[int] = set()
    for jump in flow.trace.kind("jump"):
        loop = loop_of(jump)
        guard = _decision(jump)
        if loop is None or guard is None or guard.branch in reported or jump.name not in ("break", "return"):
            continue
        if any(loop in event.loops and event.run == jump.run for event in passes) and _within(guard.node, loop):
            reported.add(guard.branch)
            yield at(
                guard.module, guard.node, "the ranks leave this loop at different times: the decision is not broadcast"
            )


def _decision(jump: Event) -> Guard | None:
    for guard in jump.guards:
        if guard.divergent and guard.depth == len(jump.stack) and options(guard.test):
            return guard
    return None


def _within(node: ast.AST, loop: ast.AST) -> bool:
    inside = getattr(loop, "lineno", 0) < getattr(node, "lineno", 0) <= (getattr(loop, "end_lineno", 0) or 0)
    return inside or node is loop
