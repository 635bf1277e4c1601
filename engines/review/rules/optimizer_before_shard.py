"""FSDP001: an optimizer that is built before the wrap trains nothing.

Silent for: FSDP1 with `use_orig_params=True` (or unknown), an optimizer that is built anew
after the wrap, and parameter groups that are refilled by hand.
"""

import re
from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects, options
from engines.review.flow.optimizers import captures, optimizers
from engines.review.flow.sharding import Shard, within
from engines.review.flow.trace import Event, first_step_apart
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP001",
    slug="optimizer-before-shard",
    severity="error",
    fix="Build the optimizer after the last fully_shard()/FSDP() call.",
)

_REFILLS = re.compile(r"""\[["']params["']\]\s*(\[[^\]]*\]\s*)?=[^=]""")
"""Code that puts parameters into an optimizer's groups by hand."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield optimizers whose parameters are replaced by a later wrap."""
    if any(module.says("param_groups") and _REFILLS.search(module.code) for module in flow.modules):
        return
    made = optimizers(flow.trace)
    for event, owners in made:
        if not owners or _refilled(event.result):
            continue
        shard = _first_later_wrap(flow, event, owners)
        if shard is None:
            yield from _held(flow, event)
            continue
        if _rebuilt(flow, made, event, owners, shard.event) or _superseded(flow, made, event, owners, shard.event):
            continue
        name = event.qual.rpartition(".")[2].replace("<any>", "the optimizer") or "the optimizer"
        owner = owners[0].label or "the model"
        api = "fully_shard" if shard.kind == "fsdp2" else "FSDP"
        hit = flow.hit(
            event,
            f"{name} is built from the parameters of {owner} before {api} replaces them"
            f" ({shard.event.module.path}:{shard.event.line}): its step() changes nothing",
        )
        yield hit.beside(shard.event, f"{api} replaces the parameters")


def _held(flow: Flow, event: Event) -> Iterator[Hit]:
    """Yield an optimizer that is built in time, but from parameters that were collected before the wrap."""
    for walk in captures(event.arg(0, "params")):
        shard = _first_later_wrap(flow, walk, list(objects(walk.receiver)))
        if shard is None or walk.run != event.run or not flow.trace.before(shard.event, event):
            continue
        if flow.sharding.kinds(walk.receiver, walk) and not flow.trace.ordered(walk, shard.event):
            continue
        api = "fully_shard" if shard.kind == "fsdp2" else "FSDP"
        message = (
            f"the parameters are collected before {api} replaces them"
            f" ({shard.event.module.path}:{shard.event.line}), and the optimizer takes them: step() changes nothing"
        )
        yield at(*first_step_apart(walk, event), message).beside(event, "the optimizer").beside(shard.event, api)
        return


def _first_later_wrap(flow: Flow, event: Event, owners: list[Obj]) -> Shard | None:
    for shard in flow.sharding.shards:
        if not flow.trace.before(event, shard.event) or not _replaces_parameters(shard):
            continue
        for owner in owners:
            if any(within(target, owner) or within(owner, target) for target in shard.targets):
                return shard
    return None


def _replaces_parameters(shard: Shard) -> bool:
    if shard.kind == "fsdp2":
        return True
    kwargs = shard.event.kwargs
    if "use_orig_params" not in kwargs:
        return "**" not in kwargs
    return constant(kwargs["use_orig_params"]) is False


def _rebuilt(flow: Flow, made: list[tuple[Event, list[Obj]]], first: Event, owners: list[Obj], shard: Event) -> bool:
    """An optimizer over the same module after the wrap: the first one was only a stand-in."""
    for other, others in made:
        related = any(within(a, b) or within(b, a) for a in owners for b in others)
        if related and other is not first and flow.trace.before(shard, other):
            return True
    return False


def _superseded(flow: Flow, made: list[tuple[Event, list[Obj]]], first: Event, owners: list[Obj], shard: Event) -> bool:
    """Another optimizer took its place before the wrap, and nothing asks for the first one after it."""
    for other, others in made:
        related = any(within(a, b) or within(b, a) for a in owners for b in others)
        between = other is not first and flow.trace.before(first, other) and flow.trace.before(other, shard)
        if related and between and not _used_after(flow, first.result, shard):
            return True
    return False


def _used_after(flow: Flow, optimizer: Value | None, shard: Event) -> bool:
    """Tell whether a call after the wrap has this optimizer as its object or as an argument."""
    wanted = {id(obj) for obj in objects(optimizer)}
    for event in flow.trace.events:
        if event.run != shard.run or event.seq > shard.seq:
            values = (event.receiver, *event.args, *event.kwargs.values())
            if any(id(obj) in wanted for value in values for obj in objects(value)):
                return True
    return False


def _refilled(optimizer: Value | None) -> bool:
    """Code that touches `param_groups[...]["params"]` may put the new parameters there."""
    for option in options(optimizer):
        groups = option.attrs.get("param_groups") if isinstance(option, Obj) else None
        stack = [groups] if isinstance(groups, Obj) else []
        while stack:
            current = stack.pop()
            if "['params']" in current.attrs:
                return True
            stack.extend(value for value in current.attrs.values() if isinstance(value, Obj))
    return False
