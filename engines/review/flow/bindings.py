"""Bindings: local names that take what a call gives, and whether anything asks for them."""

from __future__ import annotations

import ast

from engines.review.flow.trace import Event
from engines.review.flow.training import loop_of


def body_of(event: Event) -> ast.AST:
    """Return the function that an event is in, or its file's tree."""
    function = event.function()
    return function.node if function is not None else event.module.tree


def binding(body: ast.AST, call: ast.AST) -> tuple[str, ast.Assign] | None:
    """Return the local name that alone takes a call's result, with the statement; None for `_` and the like."""
    elsewhere = {name for node in ast.walk(body) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    for node in ast.walk(body):
        if isinstance(node, ast.Assign) and node.value is call:
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            local = len(names) == len(node.targets) == 1 and names[0] not in elsewhere
            return (names[0], node) if local and not names[0].startswith("_") else None
    return None


def reads(body: ast.AST) -> list[ast.Name]:
    """Return where names are asked for."""
    return [node for node in ast.walk(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]


def is_unread(event: Event) -> bool:
    """Tell whether nobody takes a call's result, or nothing asks for the local name that does."""
    if event.discarded:
        return True
    body = body_of(event)
    bound = binding(body, event.node)
    if bound is None or event.function() is None:
        return False
    name, _ = bound
    return not any(node.id == name for node in reads(body))


def is_lost(event: Event) -> bool:
    """Tell whether a wrapper is thrown away, or bound to a name that nothing asks for afterwards.

    What was wrapped has to go on in its place: it is what a loop yields, what a caller gave, or what is
    asked for later.
    """
    if event.discarded:
        return True
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
