"""Bindings: local names that take what a call gives, and whether anything asks for them."""

from __future__ import annotations

import ast

from engines.review.flow.trace import Event


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
