"""FSDP005: fully_shard twice on one module, such as the root inside the loop over its layers."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import origins, qual_in_guards
from engines.review.flow.project import Module
from engines.review.flow.sharding import Shard, chain
from engines.review.flow.trace import Event
from engines.review.flow.training import loop_of, type_tested
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP005",
    slug="fully-shard-twice",
    severity="error",
    fix="Call fully_shard once for each module: move the root's call behind the loop.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls that repeat, and second calls."""
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp2" and len(shard.targets) == 1]
    for index, shard in enumerate(shards):
        (target,) = shard.targets
        if qual_in_guards(shard.event, "FSDPModule"):
            continue
        others = any(_site(other.event) == _site(shard.event) and other.targets[0] is not target for other in shards)
        place = _repeated_at(shard, target) if not others else None
        if place is not None:
            yield at(*place, f"{target.label} is sharded in every round of the loop, not once")
        elif any(_again(flow, earlier, shard, target) for earlier in shards[:index]):
            yield flow.hit(shard.event, f"{target.label} is sharded a second time")


def _site(event: Event) -> tuple[int, ...]:
    """Return what tells a call from the same call that another call of its function leads to."""
    return (id(event.node), *(id(site.node) for site in event.stack))


def _repeated_at(shard: Shard, target: Obj) -> tuple[Module, ast.AST] | None:
    """Return where a loop shards one module again and again: the call in the loop, which may be of a helper."""
    event, loop = shard.event, loop_of(shard.event)
    if loop is None:
        return None
    ways = [(event.module, event.node, len(event.stack))]
    ways += [(site.module, site.node, depth) for depth, site in reversed(list(enumerate(event.stack)))]
    inside = {id(part) for part in ast.walk(loop)}
    place = next((way for way in ways if id(way[1]) in inside), None)
    if place is None or any(guard.depth > place[2] or _inside(guard.node, loop) for guard in event.guards):
        return None
    bound = {part.id for part in ast.walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    if place[1] is not event.node and any(getattr(part, "id", "") in bound for part in ast.walk(place[1])):
        return None  # another function, or another argument, in each round
    for link in chain(target):
        if link.op in ("elem", "descendant", "item") or (link.made is not None and loop in link.made.loops):
            return None
        if place[1] is event.node and any(name in bound for _, name in link.names):
            return None
        if link.node is not None and _inside(link.node, loop):
            return None
    return place[:2]


def _inside(node: ast.AST, loop: ast.AST) -> bool:
    line = getattr(node, "lineno", 0)
    return getattr(loop, "lineno", 0) <= line <= (getattr(loop, "end_lineno", 0) or 0)


def _whole_loop(flow: Flow, event: Event) -> bool:
    """Tell whether a call is made for every element of what its loop iterates over, without a condition."""
    loop = loop_of(event)
    iterated = flow.trace.iterated.get(id(loop), []) if loop is not None else []
    parts = [source for value in iterated for source in origins(value, 20)]
    sliced = any(isinstance(source, Obj) and source.op == "expr" and source.label == "slice" for source in parts)
    return bool(iterated) and not event.guards and not sliced


def _again(flow: Flow, earlier: Shard, later: Shard, target: Obj) -> bool:
    if target.op == "elem" and target is earlier.targets[0] and loop_of(earlier.event) is not loop_of(later.event):
        whole = _whole_loop(flow, earlier.event) and _whole_loop(flow, later.event)
        return whole and flow.trace.before(earlier.event, later.event)
    if any(link.op in ("elem", "descendant", "item") for link in chain(target)):
        return False
    if type_tested(earlier.event) or type_tested(later.event):
        return False
    return target is earlier.targets[0] and flow.trace.before(earlier.event, later.event)
