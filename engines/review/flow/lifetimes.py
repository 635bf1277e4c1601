"""Lifetimes: how long each file's tree and values are kept, so that memory does not grow with the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.review.flow.project import Module


def done_after(order: Sequence[Module], imports: Callable[[Module], Sequence[Module]]) -> list[list[Module]]:
    """Return, for each module of an order, the modules that no later one leads to.

    Every module is visited once, from the last of the order backwards: the first to reach it
    is the last to need it.

    Args:
        order: The modules that are executed for their own sake.
        imports: What a module may import, directly.
    """
    done: list[list[Module]] = [[] for _ in order]
    reached: set[int] = set()
    for index in range(len(order) - 1, -1, -1):
        stack = [order[index]]
        while stack:
            module = stack.pop()
            if id(module) not in reached:
                reached.add(id(module))
                done[index].append(module)
                stack.extend(imports(module))
    return done
