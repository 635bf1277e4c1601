"""FSDP081: gradient accumulation that communicates after every micro-batch (right, but slower)."""

from collections.abc import Iterator

from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, forwards, in_same_loop, loop_of, made_from, steps
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP081",
    slug="no-sync-missing",
    severity="advice",
    fix="set_requires_gradient_sync(is_last), at the price of full-size gradients in memory.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield steps on every n-th micro-batch in loops that never switch the sync off."""
    if flow.mentions("set_requires_gradient_sync", "no_sync", "accumulate("):
        return
    if not any(True for _ in forwards(flow.sharding)):
        return
    for step in steps(flow.trace):
        modulo = any(made_from(guard.test, _is_modulo) is not None for guard in step.guards)
        near = [b for b in backwards(flow.trace) if in_same_loop(step, b) and len(b.guards) < len(step.guards)]
        if modulo and near:
            yield flow.hit(near[0], "gradients are reduce-scattered after each micro-batch, not once for each step")
            return
        for back in backwards(flow.trace):
            if _in_an_inner_loop(flow, back, step):
                yield flow.hit(back, "gradients are reduce-scattered after each micro-batch, not once for each step")
                return


def _in_an_inner_loop(flow: Flow, back: Event, step: Event) -> bool:
    """Tell whether a backward pass runs several times, in a counted loop, before the step behind that loop."""
    inner = loop_of(back)
    if inner is None or inner in step.loops or not flow.trace.before(back, step) or loop_of(step) not in back.loops:
        return False
    counted = flow.trace.iterated.get(id(inner), [])
    return bool(step.loops) and any(isinstance(v, Obj) and v.qual in ("range", "itertools.islice") for v in counted)


def _is_modulo(obj: Obj) -> bool:
    return obj.op == "expr" and obj.label == "Mod"
