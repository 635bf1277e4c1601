"""Kept: results that somebody must take, and where nobody does."""

from __future__ import annotations

import ast

from engines.review.flow.names import DCP, FSDP1
from engines.review.flow.project import Module
from engines.review.flow.values import Obj, Value

RETURNS_NEW = (FSDP1, f"{DCP}.async_save")
"""Callables whose result must be kept, also where a function hands it on."""


def drop(value: Value, module: Module, node: ast.AST) -> None:
    """Note that a result is dropped, if it must be kept and was bound to nothing on its way.

    Args:
        value: What a function has returned.
        module: The file that drops it.
        node: The statement or call that does.
    """
    made = value.made if isinstance(value, Obj) else None
    if made is None or made.qual not in RETURNS_NEW or not isinstance(value, Obj):
        return
    if value.op == "call" and not value.names and value.parent is None:
        made.discarded, made.dropped_at = True, (module, node)
