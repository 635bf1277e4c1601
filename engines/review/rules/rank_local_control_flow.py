"""FSDP086: a rank skips collectives because of what only it has seen: its loss, its batch.

Silent where the value went through a collective first.
"""

import ast
from collections.abc import Iterator

from engines.review.flow.decisions import agreed_in, decided_in
from engines.review.flow.knowing import objects, options
from engines.review.flow.trace import Event, Guard
from engines.review.flow.training import (
    backwards,
    computed_from,
    forwards,
    in_same_loop,
    loop_of,
    made_from,
    within_lines,
    without_grad,
)
from engines.review.flow.values import Const, Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP086",
    slug="rank-local-control-flow",
    severity="error",
    fix="all_reduce the flag so that every rank takes the same branch, or multiply the loss by zero.",
)


_CLOCKS = ("time.time", "time.monotonic", "time.perf_counter", "datetime.datetime.now")
_RANDOM = (
    *("random.random", "random.uniform", "random.randint", "torch.rand", "torch.bernoulli"),
    *("numpy.random.rand", "numpy.random.random", "numpy.random.uniform"),
)
_AGREE = tuple(
    f"torch.distributed.{name}" for name in ("all_reduce", "broadcast", "all_gather", "broadcast_object_list")
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield conditions on loss or batch that skip a backward pass of a sharded model."""
    passes = [event for event in forwards(flow.sharding) if not without_grad(event)]
    yield from _dropped_layers(flow, passes)
    back = list(backwards(flow.trace))
    yield from _epochs_left(flow, passes)
    yield from _steps_left(flow, passes, back)
    reported: set[int] = set()
    for event in (*flow.trace.kind("jump"), *back):
        if event.kind == "jump" and event.name not in ("continue", "break"):
            continue
        guard = _own_guard(event)
        if guard is None or guard.branch in reported:
            continue
        near = [p for p in passes if p.run == event.run and loop_of(p) is not None and loop_of(p) in event.loops]
        if not near or (event.kind == "jump" and not any(in_same_loop(event, b) for b in back)):
            continue
        if event.kind == "call" and _other_arm_goes_on(back, guard):
            continue
        source = _rank_local(guard, near) or _clock(flow, guard, event)
        if source and _inside(guard.node, event):
            reported.add(guard.branch)
            yield _skips(guard, source)


def _skips(guard: Guard, source: str) -> Hit:
    message = f"{source} differs between ranks: one that takes this branch leaves the others waiting in a collective"
    return at(guard.module, guard.node, message)


def _steps_left(flow: Flow, passes: list[Event], back: list[Event]) -> Iterator[Hit]:
    """Yield decisions of one rank to leave the function of a step between its forward and its backward."""
    reported: set[int] = set()
    for event in flow.trace.kind("jump"):
        guard = _own_guard(event) if event.name == "return" and event.stack else None
        if guard is None or guard.branch in reported or event.guards[-1].branch != guard.branch:
            continue
        here = [e for e in (*passes, *back) if e.run == event.run and e.stack[: len(event.stack)] == event.stack]
        near = [e for e in here if e.seq < event.seq and e in passes and not _in_other_arm(e, guard)]
        if not near or not any(e.seq > event.seq and e in back for e in here):
            continue
        source = _rank_local(guard, near)
        if source:
            reported.add(guard.branch)
            yield _skips(guard, source)


def _in_other_arm(event: Event, guard: Guard) -> bool:
    return any(other.branch == guard.branch and other.arm != guard.arm for other in event.guards)


def _epochs_left(flow: Flow, passes: list[Event]) -> Iterator[Hit]:
    """Yield decisions of one rank to leave the loop around the training loop: the others begin the next epoch."""
    results = {id(option) for event in forwards(flow.sharding) for option in options(event.result)}
    reported: set[int] = set()
    for event in flow.trace.kind("jump"):
        loop = loop_of(event)
        if event.name not in ("break", "return") or loop is None or not within_lines(event.node, loop):
            continue
        if not any(p.run == event.run and loop in p.loops and loop_of(p) not in (None, loop) for p in passes):
            continue
        own = [g for g in event.guards if g.kind == "if" and isinstance(g.node, ast.If) and within_lines(g.node, loop)]
        guard = next((g for g in reversed(own) if _decides(flow, g, loop, results)), None)
        if guard is not None and id(guard.node) not in reported:
            reported.add(id(guard.node))
            yield at(
                guard.module,
                guard.node,
                "the loss decides this and differs between ranks: one that stops here leaves the others waiting in "
                "the next epoch's collectives",
            )


def _decides(flow: Flow, guard: Guard, loop: ast.AST, results: set[int]) -> bool:
    """Tell whether a test is one of the loss as this rank has it, or of what such a test has set."""

    def local(value: Value) -> bool:
        return computed_from(value, lambda obj: id(obj) in results) is not None

    if _compares_with_none(guard.test):
        return False
    if local(guard.test):
        return True
    test = guard.node.test if isinstance(guard.node, ast.If) else guard.node
    return not agreed_in(flow.trace, loop) and decided_in(flow.trace, loop, test, local)


def _clock(flow: Flow, guard: Guard, event: Event) -> str:
    """The time, where nobody tells the other ranks that it is up."""
    if computed_from(guard.test, lambda obj: obj.qual in _CLOCKS) is None:
        return ""
    agreed = any(loop_of(event) in other.loops for other in flow.trace.calls(*_AGREE))
    return "" if agreed else "the clock"


def _dropped_layers(flow: Flow, passes: list[Event]) -> Iterator[Hit]:
    """Yield sharded layers that are skipped by a random number of this rank's own."""
    if flow.mentions("seed("):
        return
    for event in passes:
        for guard in event.guards:
            chance = computed_from(guard.test, lambda obj: obj.qual in _RANDOM)
            if chance is not None and guard.kind in ("if", "skip") and guard.depth == len(event.stack):
                yield at(
                    guard.module, guard.node, "each rank draws its own number: a layer that one skips hangs the others"
                )
                return


def _own_guard(event: Event) -> Guard | None:
    own = [guard for guard in event.guards if guard.kind == "if" and guard.depth == len(event.stack)]
    return own[-1] if own and isinstance(own[-1].node, ast.If) else None


def _inside(node: ast.AST, event: Event) -> bool:
    """Tell whether the condition is inside the loop that it leaves."""
    loop = loop_of(event)
    return loop is not None and getattr(loop, "lineno", 0) < getattr(node, "lineno", 0)


def _other_arm_goes_on(back: list[Event], guard: Guard) -> bool:
    """A backward pass in the other arm as well: both arms communicate."""
    return any(_in_other_arm(event, guard) for event in back)


def _rank_local(guard: Guard, passes: list[Event]) -> str:
    """Return in words what rank-local value a test depends on, "" for none that is known."""
    results = {id(option) for event in passes for option in options(event.result)}
    if _compares_with_none(guard.test):
        return ""
    loss = computed_from(guard.test, lambda obj: id(obj) in results)
    if loss is not None:
        return "the loss"
    batches = {id(obj) for event in passes for value in _given(event) for obj in _batches(value)}
    content = computed_from(guard.test, lambda obj: id(obj) in batches)
    return "the batch" if content is not None and _looks_inside(guard.test) else ""


def _given(event: Event) -> tuple[Value, ...]:
    return (*event.args, *event.kwargs.values())


def _batches(value: Value) -> Iterator[Obj]:
    """Yield the elements of loaders from which an argument of the model comes."""
    for obj in objects(value):
        found = made_from(obj, lambda o: o.op == "elem" and o.parent is not None)
        if found is not None:
            yield found


def _compares_with_none(test: Value) -> bool:
    found = made_from(test, lambda obj: obj.op == "compare" and any(_is_none(s) for s in obj.sources))
    return found is not None


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _looks_inside(test: Value) -> bool:
    """Tell whether a test computes with a tensor's values: sums, counts, checks for NaN; not with its shape."""
    if computed_from(test, lambda obj: obj.op == "attr" and obj.label.endswith(".shape")) is not None:
        return False
    wanted = ("sum", "any", "all", "numel", "isnan", "isfinite", "isinf", "max", "min", "mean", "item")
    found = computed_from(
        test, lambda obj: obj.made is not None and (obj.made.method or obj.qual.rpartition(".")[2]) in wanted
    )
    return found is not None
