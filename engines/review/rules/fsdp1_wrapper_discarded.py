"""FSDP007: the module that FSDP(...) returns is thrown away; the original stays unwrapped."""

import ast
from collections.abc import Iterator

from engines.review.flow.names import FSDP1
from engines.review.flow.trace import Event
from engines.review.flow.training import loop_of
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP007",
    slug="fsdp1-wrapper-discarded",
    severity="error",
    fix="Assign it back: parent.child = FSDP(parent.child), or use auto_wrap_policy.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield FSDP(...) as a statement of its own, or bound only to a loop's variable."""
    for event in flow.trace.calls(FSDP1):
        function = event.function()
        if function is not None and function.name.startswith("test"):
            continue  # a test may ask only whether the wrap raises
        if event.discarded or _only_in_loop_variable(event):
            place = event.dropped_at or (event.module, event.node)
            yield at(*place, "FSDP(...) returns the wrapped module, which nobody takes: the original is not sharded")


def _only_in_loop_variable(event: Event) -> bool:
    """Tell whether `for block in ...: block = FSDP(block)` is all that happens to the result."""
    loop = loop_of(event)
    if not isinstance(loop, ast.For):
        return False
    bound = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for statement in ast.walk(loop):
        if isinstance(statement, ast.Assign) and statement.value is event.node:
            targets = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            return len(targets) == 1 and targets[0] in bound and not _read_after(loop, targets[0], statement)
    return False


def _read_after(loop: ast.For, name: str, statement: ast.Assign) -> bool:
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and node.lineno > statement.lineno
        for node in ast.walk(loop)
    )
