"""Accumulation: backward passes of which several go into one step of the optimizer."""

from __future__ import annotations

from collections.abc import Iterator

from engines.review.flow.trace import Event, Trace
from engines.review.flow.training import backwards, in_same_loop, loop_of, made_from, steps
from engines.review.flow.values import Const, Obj


def accumulations(trace: Trace) -> Iterator[tuple[Event, Event]]:
    """Yield (step, backward pass): a step on every n-th round of a loop, or behind a loop of its own.

    Args:
        trace: The events.
    """
    for step in steps(trace):
        for back in backwards(trace):
            if _on_every_nth(step, back) or behind_a_loop(trace, step, back):
                yield step, back


def behind_a_loop(trace: Trace, step: Event, back: Event) -> bool:
    """Tell whether a backward pass is in a loop that is over before the step, both in one round of another."""
    inner = loop_of(back)
    if inner is None or inner in step.loops or not trace.before(back, step):
        return False
    outer = loop_of(step)
    return back.run == step.run and (outer is None or outer in back.loops)


def _on_every_nth(step: Event, back: Event) -> bool:
    if not in_same_loop(step, back) or len(back.guards) >= len(step.guards):
        return False
    return any(made_from(guard.test, _counts) is not None for guard in step.guards if guard not in back.guards)


def _counts(obj: Obj) -> bool:
    """Tell whether a value is a remainder, or a counter that goes up by a number."""
    if obj.op != "expr":
        return False
    counts = any(isinstance(source, Const) and isinstance(source.value, int) for source in obj.sources)
    return obj.label == "Mod" or (obj.label == "+" and counts)
