"""FSDP097: an out-of-memory error is caught and the batch skipped; the other ranks wait."""

import ast
from collections.abc import Iterator

from engines.review.flow.training import backwards, forwards
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP097",
    slug="oom-except-retry",
    severity="error",
    fix="Let it crash and restart with less memory, or reset_iter_state() on all ranks (2.12+).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield handlers around a pass of a sharded model that go on after running out of memory."""
    passes = list(forwards(flow.sharding))
    reported: set[int] = set()
    for event in (*passes, *(backwards(flow.trace) if passes else ())):
        for statement in event.tries:
            for handler in statement.handlers:
                if id(handler) not in reported and _catches_oom(handler) and _goes_on(handler):
                    reported.add(id(handler))
                    yield at(
                        event.module,
                        handler,
                        "this rank skips its collectives after an out-of-memory error: the others hang",
                    )


def _catches_oom(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type is not None else ""
    if "OutOfMemoryError" in caught:
        return True
    return "RuntimeError" in caught and "out of memory" in " ".join(
        part.value for node in handler.body for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )  # fmt: skip


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler goes on after running out of memory, without raising or leaving."""
    for statement in handler.body:
        if isinstance(statement, ast.If) and "out of memory" in ast.unparse(statement.test).lower():
            if "not in" in ast.unparse(statement.test):
                return not _leaves(statement.orelse or handler.body[handler.body.index(statement) + 1 :])
            rest = handler.body[handler.body.index(statement) + 1 :]
            through = not isinstance(statement.body[-1], ast.Continue | ast.Break | ast.Return)
            return not _leaves(statement.body) and not (through and _leaves(rest))
    return not _leaves(handler.body)


def _leaves(body: list[ast.stmt]) -> bool:
    """Tell whether statements end in an exception or in the end of the program."""
    if not body:
        return False
    last = body[-1]
    calls = [ast.unparse(node.func) for node in ast.walk(last) if isinstance(node, ast.Call)]
    return isinstance(last, ast.Raise) or any(call.endswith(("exit", "abort")) for call in calls)
