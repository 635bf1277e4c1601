"""FSDP003: a parent is sharded before its child, so it already owns the child's parameters."""

from collections.abc import Iterator

from engines.review.flow.chosen import CHOSEN_BY, classes_asked_for
from engines.review.flow.knowing import qual_in_guards
from engines.review.flow.ranks import strip_not
from engines.review.flow.sharding import Shard, within
from engines.review.flow.trace import Guard
from engines.review.flow.training import loop_of
from engines.review.flow.values import Class, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP003",
    slug="parent-before-child",
    severity="error",
    fix="Call fully_shard bottom-up: children first, then the parent.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls on a module of which a part is sharded later."""
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp2"]
    yield from _nested_classes(flow, shards)
    for shard in shards:
        if _top_down(flow, shard):
            yield flow.hit(shard.event, "modules() yields parents first: each is sharded before its children")
    for parent in shards:
        child = next((later for later in shards if _sharded_after(flow, parent, later)), None)
        if child is not None:
            yield flow.hit(
                parent.event,
                f"{parent.targets[0].label} is sharded before its part {child.targets[0].label}"
                f" (line {child.event.line}): its parameters belong to the parent already",
            )


def _top_down(flow: Flow, shard: Shard) -> bool:
    """Tell whether a walk that starts at the root shards each module that it meets, unfiltered."""
    if not _in_walk(flow, shard):
        return False
    if any(CHOSEN_BY in target.attrs for target in shard.targets):
        return False
    inside = _guards_inside(shard)
    return not inside or any(_lets_the_root_in(guard.test) for guard in inside)


def _nested_classes(flow: Flow, shards: list[Shard]) -> Iterator[Hit]:
    """Yield walks in their own order that shard modules of two classes, one of which holds the other."""
    chosen: dict[tuple[int, int], list[tuple[Shard, Class]]] = {}
    for shard in shards:
        asked = [classes_asked_for(test, flow.shapes) for test in _tests(shard)] if _in_walk(flow, shard) else []
        if len(asked) == 1:  # further conditions may keep the two apart
            walk = 0 if len(shard.event.loops) == 1 else shard.event.seq  # in a loop, each walk is one of its own
            chosen.setdefault((id(loop_of(shard.event)), walk), []).extend((shard, cls) for cls in asked[0])
    for found in chosen.values():
        for shard, outer in found:
            inner = next((cls for _, cls in found if cls is not outer and _holds(flow, outer, cls)), None)
            if inner is not None:
                names = f"{outer.node.name} before the {inner.node.name} in it"
                yield flow.hit(shard.event, f"modules() yields each {names}: its parameters belong to the parent then")
                break


def _holds(flow: Flow, outer: Class, inner: Class) -> bool:
    parts = flow.shapes.parts(flow.shapes.template(outer))
    return any(cls is inner for _, part in parts if part.cls is not None for cls in part.cls.linear())


def _in_walk(flow: Flow, shard: Shard) -> bool:
    """Tell whether a shard is in a loop over a module's modules() in their own order."""
    loop = loop_of(shard.event)
    if loop is None or not any(target.op == "descendant" for target in shard.targets):
        return False
    iterated = flow.trace.iterated.get(id(loop), [])
    return bool(iterated) and all(_is_walk(value) for value in iterated)


def _tests(shard: Shard) -> list[Value]:
    """Return what holds of a module that a loop shards: conditions in the loop, and those of a list made of a walk."""
    chosen = [target.attrs.get(CHOSEN_BY) for target in shard.targets]
    tests = [test for seq in chosen if isinstance(seq, Seq) for test in seq.items]
    return tests + [strip_not(guard.test)[0] for guard in _guards_inside(shard) if guard.arm == 0]


def _guards_inside(shard: Shard) -> list[Guard]:
    loop = loop_of(shard.event)
    return [g for g in shard.event.guards if getattr(g.node, "lineno", 0) > getattr(loop, "lineno", 0)]


def _lets_the_root_in(test: Value) -> bool:
    """`m is model or isinstance(m, Block)`: the root, which comes first, and its parts."""
    if not isinstance(test, Obj) or test.op != "bool" or test.label != "or":
        return False
    return any(isinstance(source, Obj) and source.op == "compare" and source.label == "is" for source in test.sources)


def _is_walk(value: Value) -> bool:
    """Tell whether a value is module.modules() or named_modules(), or a list made of it, in its order."""
    if isinstance(value, Seq):
        return any(_is_walk(source) for source in value.sources)
    if isinstance(value, Obj) and value.qual == "filter":
        return any(_is_walk(source) for source in value.sources[1:])
    return isinstance(value, Obj) and value.made is not None and value.made.method in ("modules", "named_modules")


def _sharded_after(flow: Flow, parent: Shard, child: Shard) -> bool:
    if len(parent.targets) != 1 or len(child.targets) != 1:
        return False  # one of several, or a unit of several
    if not flow.trace.before(parent.event, child.event) or qual_in_guards(child.event, "FSDPModule"):
        return False
    return any(
        part is not whole and whole.op != "descendant" and within(part, whole)
        for whole in parent.targets
        for part in child.targets
    )
