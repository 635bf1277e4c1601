"""FSDP007: the module that FSDP(...) returns is thrown away; the original stays unwrapped."""

import ast
from collections.abc import Iterator

from engines.review.flow.bindings import binding, body_of, reads
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
    """Yield FSDP(...) as a statement of its own, or bound to a name that nothing asks for."""
    for event in flow.trace.calls(FSDP1):
        function = event.function()
        if function is not None and function.name.startswith("test"):
            continue  # a test may ask only whether the wrap raises
        if event.discarded or _bound_to_an_unread_name(event):
            place = event.dropped_at or (event.module, event.node)
            yield at(*place, "FSDP(...) returns the wrapped module, which nobody takes: the original is not sharded")


def _bound_to_an_unread_name(event: Event) -> bool:
    """Tell whether the result is bound to a name, and nothing asks for that name afterwards.

    The module that was wrapped has to go on in its place: it is what a loop yields, what a caller gave, or what is
    asked for later.
    """
    function, body, loop, call = event.function(), body_of(event), loop_of(event), event.node
    bound = binding(body, call)
    if bound is None or not isinstance(call, ast.Call) or (function is None and loop is None):
        return False
    name, statement = bound
    asked = reads(body)
    around = loop if loop is not None and _within(statement, loop) else None
    of_loop = isinstance(around, ast.For) and any(
        node.id == name for node in ast.walk(around.target) if isinstance(node, ast.Name)
    )
    if any(node.id == name and _may_follow(node, statement, None if of_loop else around) for node in asked):
        return False
    given = {part.id for arg in call.args[:1] for part in ast.walk(arg) if isinstance(part, ast.Name)}
    is_parameter = (
        function is not None
        and len(event.stack) > 1
        and any(arg.arg == name for arg in (*function.node.args.posonlyargs, *function.node.args.args))
    )
    goes_on = any(node.id in given and node.lineno > _end(statement) for node in asked)
    return around is not None or is_parameter or goes_on


def _may_follow(read: ast.Name, statement: ast.Assign, loop: ast.AST | None) -> bool:
    """Tell whether a name is read after a statement, in a later round of the loop around it included."""
    return read.lineno > _end(statement) or (loop is not None and _within(read, loop))


def _within(node: ast.expr | ast.stmt, block: ast.AST) -> bool:
    return any(part is node for part in ast.walk(block))


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
