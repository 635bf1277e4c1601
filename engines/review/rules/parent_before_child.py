"""FSDP003: a parent is sharded before its child, so it already owns the child's parameters."""

from collections.abc import Iterator

from engines.review.flow.knowing import qual_in_guards
from engines.review.flow.sharding import Shard, within
from engines.review.flow.training import loop_of
from engines.review.flow.values import Obj, Value
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
    loop = loop_of(shard.event)
    if loop is None or not any(target.op == "descendant" for target in shard.targets):
        return False
    inside = [g for g in shard.event.guards if getattr(g.node, "lineno", 0) > getattr(loop, "lineno", 0)]
    if inside and not any(_lets_the_root_in(guard.test) for guard in inside):
        return False
    iterated = flow.trace.iterated.get(id(loop), [])
    return bool(iterated) and all(_is_walk(value) for value in iterated)


def _lets_the_root_in(test: Value) -> bool:
    """`m is model or isinstance(m, Block)`: the root, which comes first, and its parts."""
    if not isinstance(test, Obj) or test.op != "bool" or test.label != "or":
        return False
    return any(isinstance(source, Obj) and source.op == "compare" and source.label == "is" for source in test.sources)


def _is_walk(value: Value) -> bool:
    """Tell whether a value is module.modules() or named_modules() itself, in its order."""
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
