"""FSDP082: the gradient sync is switched off for good, or on at another micro-batch than the step."""

import re
from collections.abc import Iterator

from engines.review.flow.knowing import constant, spelled
from engines.review.flow.ranks import strip_not
from engines.review.flow.trace import Event
from engines.review.flow.training import in_same_loop, loop_of, steps
from engines.review.flow.values import Const, Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP082",
    slug="sync-flag-not-restored",
    severity="error",
    fix="set_requires_gradient_sync(is_last) with is_last equal to the condition of the step.",
)

_OTHERWISE = re.compile(r"set_requires_gradient_sync\(\s*(?!False)")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield flags that are never set again, and flags that do not match the step."""
    events = list(flow.trace.methods("set_requires_gradient_sync"))
    flags = [event.arg(0, "requires_gradient_sync") for event in events]
    if events and all(constant(flag) is False for flag in flags) and not _set_elsewhere(flow):
        yield flow.hit(
            events[0], "the sync is switched off and never on again: gradients stay unreduced, steps do nothing"
        )
        return
    for event, flag in zip(events, flags, strict=True):
        if not isinstance(flag, Obj) or flag.op not in ("compare", "not"):
            continue
        if _past_the_end(flag):
            yield at(
                event.module, flag.node or event.node, "the last index is one less: this never holds, no sync happens"
            )
            continue
        if _on_the_first(flow, flag, event) and _steps_after_the_loop(flow, event):
            where = flag.node or event.node
            yield at(
                event.module, where, "gradients are synced at the first micro-batch: the later ones stay unreduced"
            )
            continue
        opposite = next((s for s in steps(flow.trace) if in_same_loop(event, s) and _opposite(flag, s, event)), None)
        if opposite is not None:
            yield flow.hit(event, f"the sync is off on the very micro-batch that steps (line {opposite.line})")
            continue
        for step in steps(flow.trace):
            test = _condition(step, event)
            if test is not None and _off_by_some(flag, test):
                node = flag.node if flag.node is not None else event.node
                yield at(
                    event.module,
                    node,
                    f"gradients are synced at another micro-batch than the one that steps (line {step.line})",
                )
                break


def _on_the_first(flow: Flow, flag: Obj, sync: Event) -> bool:
    """Tell whether the index of the loop around, which counts from 0, is compared with 0."""
    if flag.op != "compare" or flag.label != "==" or constant(flag.sources[1]) != 0:
        return False
    index = flag.sources[0]
    for iterated in flow.trace.iterated.get(id(loop_of(sync)), ()):
        made = iterated.made if isinstance(iterated, Obj) else None
        if made is None or len(made.args) != 1 or made.kwargs or not isinstance(index, Obj):
            return False
        by_range = made.qual == "range" and index.parent is iterated
        if not by_range and not (made.qual == "enumerate" and index.label == "index" and index.made is made):
            return False
    return loop_of(sync) is not None


def _steps_after_the_loop(flow: Flow, sync: Event) -> bool:
    later = [step for step in steps(flow.trace) if step.run == sync.run and step.seq > sync.seq]
    return loop_of(sync) is not None and bool(later) and not any(in_same_loop(sync, step) for step in later)


def _past_the_end(flag: Obj) -> bool:
    """Tell whether an index from 0 is compared with the number of items that it counts."""
    if flag.op != "compare" or flag.label != "==" or len(flag.sources) != 2:
        return False
    return any(_counts(index, number) for index, number in (flag.sources, flag.sources[::-1]))


def _counts(index: Value, number: Value) -> bool:
    """`i` of enumerate(xs) and len(xs), or `i` of range(n) and n."""
    if not isinstance(index, Obj):
        return False
    if index.label == "index" and index.made is not None and len(index.made.args) == 1 and not index.made.kwargs:
        asked = number.made if isinstance(number, Obj) and number.qual == "len" else None
        return asked is not None and bool(asked.args) and asked.args[0] is index.made.args[0]
    over = index.parent.made if index.op == "elem" and index.parent is not None else None
    if over is None or over.qual != "range" or len(over.args) != 1:
        return False
    end = spelled(over.args[0])
    return end is not None and end == spelled(number)


def _set_elsewhere(flow: Flow) -> bool:
    """Tell whether any text sets the flag to something else, perhaps in a callback."""
    return any(_OTHERWISE.search(module.code) for module in flow.modules)


def _opposite(flag: Obj, step: Event, sync: Event) -> bool:
    """Tell whether the step happens exactly where the flag is false."""
    extra = [guard for guard in step.guards if guard not in sync.guards and guard.kind in ("if", "skip")]
    if len(extra) != 1:
        return False
    mine, mine_odd = strip_not(flag)
    theirs, _ = strip_not(extra[0].test)
    same = mine is theirs or (
        isinstance(mine, Obj)
        and isinstance(theirs, Obj)
        and mine.op == theirs.op == "compare"
        and mine.label == theirs.label
        and all(
            spelled(a) is not None and spelled(a) == spelled(b)
            for a, b in zip(mine.sources, theirs.sources, strict=True)
        )
    )
    return same and (extra[0].arm == 0) == mine_odd


def _condition(step: Event, sync: Event) -> Obj | None:
    """Return the comparison on which a step in the same loop depends."""
    if not in_same_loop(sync, step):
        return None
    extra = [guard for guard in step.guards if guard not in sync.guards]
    if len(extra) != 1 or extra[0].arm != 0:
        return None
    test = extra[0].test
    return test if isinstance(test, Obj) and test.op == "compare" else None


def _off_by_some(flag: Obj, test: Obj) -> bool:
    """Tell whether both ask for one remainder, or one index, of expressions that differ by a constant."""
    if flag.label != test.label or len(flag.sources) != 2 or len(test.sources) != 2:
        return False
    (mine, right), (theirs, other) = flag.sources, test.sources
    if flag.label == "==" and spelled(mine) is not None and spelled(mine) == spelled(theirs):
        return _apart(right, other) or _unequal(right, other)
    if spelled(right) is None or spelled(right) != spelled(other) or not isinstance(right, Const):
        return False
    first, second = _remainder(mine), _remainder(theirs)
    if first is None or second is None or spelled(first[1]) is None or spelled(first[1]) != spelled(second[1]):
        return False
    return _apart(first[0], second[0])


def _unequal(one: Value, other: Value) -> bool:
    """Tell whether two values are different numbers."""
    numbers = constant(one), constant(other)
    return all(isinstance(number, int) for number in numbers) and numbers[0] != numbers[1]


def _apart(one: Value, other: Value) -> bool:
    """Tell whether two expressions differ by a constant."""
    (mine, added), (theirs, subtracted) = _without_constant(one), _without_constant(other)
    if isinstance(mine, Const):
        return False
    return spelled(mine) is not None and spelled(mine) == spelled(theirs) and added != subtracted


def _remainder(value: Value) -> tuple[Value, Value] | None:
    if isinstance(value, Obj) and value.op == "expr" and value.label == "Mod":
        return value.sources[0], value.sources[1]
    return None


def _without_constant(value: Value) -> tuple[Value, int]:
    """Return x and c of x + c or x - c."""
    if isinstance(value, Obj) and value.op == "expr" and value.label in ("+", "Sub") and len(value.sources) == 2:
        number = constant(value.sources[1])
        if isinstance(number, int):
            return value.sources[0], number if value.label == "+" else -number
    return value, 0
